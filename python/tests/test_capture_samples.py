"""Samples of a captured step, and the largest batch of a module."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing is captured")

from captures import STYLES, tokens  # noqa: E402

import rooftile  # noqa: E402


class Reader(torch.nn.Module):
    """Of tokens, time first."""

    def __init__(self):
        super().__init__()
        self.embedding, self.lstm = torch.nn.Embedding(10, 64), torch.nn.LSTM(64, 64)

    def forward(self, x):
        return self.lstm(self.embedding(x))[0]


def with_sgd(run):
    """A step that calls run(network, x) with SGD around it."""
    network = torch.nn.Linear(64, 64)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)

    def step(x):
        run(network, x)
        optimizer.step()
        optimizer.zero_grad()

    return rooftile.capture(step, torch.empty(64, 64))


def accumulate(network, x):
    for part in x.chunk(4):
        network(part).mean().backward()


def accumulate_the_same(network, x):
    for _ in range(4):
        network(x).mean().backward()


def sharpness_aware(network, x):
    network(x).mean().backward()
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(weight.grad)
    network(x).mean().backward()


SAMPLES = {
    "a convolution of one image": (1, lambda: rooftile.capture(torch.nn.Conv2d(3, 8, 3), torch.empty(3, 32, 32))),
    "time first": (8, lambda: rooftile.capture(torch.nn.LSTM(64, 64), torch.empty(20, 8, 64))),
    "time second": (20, lambda: rooftile.capture(torch.nn.LSTM(64, 64, batch_first=True), torch.empty(20, 8, 64))),
    "one sequence": (1, lambda: rooftile.capture(torch.nn.LSTM(64, 64), torch.empty(20, 64))),
    "time first inside": (8, lambda: rooftile.capture(Reader(), tokens(20, 8))),
    "transformer, time first": (2, lambda: STYLES["encoder"]()),
    "images of different sizes": (2, lambda: STYLES["detection"]()),
    "several networks": (16, lambda: STYLES["dcgan"]()),
    "a target network": (32, lambda: STYLES["dqn"]()),
    "accumulated": (64, lambda: with_sgd(accumulate)),
    "accumulated, made up": (4 * 64, lambda: with_sgd(accumulate_the_same)),
    "the same at other weights": (64, lambda: with_sgd(sharpness_aware)),
    "two inputs": (64, lambda: with_sgd(lambda network, x: (network(x) - network(x + 1)).mean().backward())),
    "by a keyword": (64, lambda: with_sgd(lambda network, x: network(input=x).mean().backward())),
}


@pytest.mark.parametrize("style", SAMPLES)
def test_samples_of_a_step(style):
    samples, make = SAMPLES[style]
    assert make().batch_size == samples


def test_the_largest_batch_of_a_module():
    network = torch.nn.Sequential(torch.nn.Linear(4096, 4096), torch.nn.ReLU())
    batch = rooftile.max_batch(network, "t4", inputs=torch.empty(2, 4096))
    step = rooftile.capture(network, torch.empty(batch, 4096, device="meta"))
    more = rooftile.capture(network, torch.empty(batch + 1, 4096, device="meta"))
    assert rooftile.predict(step, "t4").fits and not rooftile.predict(more, "t4").fits


def test_the_largest_batch_of_arrays_is_that_of_tensors():
    network, inputs = torch.nn.Linear(4096, 4096), torch.empty(2, 4096)
    assert rooftile.max_batch(network, "t4", inputs=inputs.numpy()) == rooftile.max_batch(network, "t4", inputs=inputs)


@pytest.mark.parametrize("make, shape", [
    (lambda: torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(64, 4), 2), (10, 3, 64)),
    (lambda: torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(64, 4), 2), (10, 1, 64)),
    (lambda: torch.nn.LSTM(64, 64), (8, 8, 64)),
    (lambda: torch.nn.Conv2d(3, 8, 3), (3, 32, 32)),
])
def test_no_largest_batch_where_dimension_0_is_not_samples(make, shape):
    with pytest.raises(rooftile.Error, match="samples are not in dimension 0 of the first input"):
        rooftile.max_batch(make(), "t4", inputs=torch.empty(shape))


def test_the_largest_batch_of_a_recurrent_network_with_the_batch_first():
    assert rooftile.max_batch(torch.nn.LSTM(64, 64, batch_first=True), "t4", inputs=torch.empty(8, 8, 64)) > 1000
