"""Captured steps that depend on data, and what is not captured."""

import math
import re
from unittest import mock

import numpy
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing is captured")

from captures import Broken, Calling, launches  # noqa: E402

import rooftile  # noqa: E402


class Odd(torch.nn.Module):
    def forward(self, x):
        y = torch.special.erfcx(x)
        if y.sum().item() > 0:
            y = y + 1
        return y[y > 0]


def test_other_operators_are_predicted_by_their_bytes_and_named():
    step = rooftile.capture(Odd(), torch.empty(64, 1024))
    general = {call["source"] for call in step.to_dict()["calls"] if call.get("general")}
    assert "aten.special_erfcx" in general
    assert "special_erfcx" in rooftile.predict(step, "t4").summary()


def test_what_depends_on_data_is_named_with_its_line():
    notes = " ".join(rooftile.capture(Odd(), torch.empty(64, 1024)).notes)
    assert "test_capture_errors.py:" in notes and "item() depends on data; it is taken that it reads 0" in notes
    masked = rooftile.capture(Calling(lambda x: x[x > 0]), torch.empty(64, 4)).notes
    assert len(masked) == 1 and masked[0].startswith("a mask as index depends on data; it is taken that it selects all elements")


def distances():
    network = torch.nn.Linear(4, 4)
    return rooftile.capture(lambda x: torch.cdist(network(x), x).mean().backward(), torch.empty(10, 4))


@pytest.mark.parametrize("function, elements", [
    (torch.unique, 1),
    (lambda x: torch.unique(x, return_inverse=True, return_counts=True)[0], 1),
    (lambda x: torch.unique(x, dim=0), 3),
    (torch.unique_consecutive, 1),
    (lambda x: torch.linalg.lstsq(x, x).solution, 9),
    (lambda x: torch.multinomial(x, 2), 200),
    (lambda x: torch.cdist(x, x), 100 * 100),
])
def test_results_that_no_meta_kernel_tells(function, elements):
    step = rooftile.capture(Calling(function), torch.empty(100, 3))
    launched = [step.to_dict()["calls"][call] for call, _, _ in step.to_dict()["launches"]]
    assert math.prod(launched[-1]["outputs"][0]["shape"]) == elements


def test_distances_have_gradients():
    assert launches(distances())["backward"]["_cdist_backward"] == 1


def wait_without_gradients(network, x):
    while network(x).sum().item() < 1:
        pass


def wait_without_updates(network, x):
    while network(x).sum().item() < 1:
        network(x).sum().backward()


def wait_for_an_end(network, x):
    with torch.no_grad():
        while network(x).argmax().item() != 2:
            pass


@pytest.mark.parametrize("wait, line", [(wait_for_an_end, "1,000 operators ran without a backward pass"),
                                        (wait_without_gradients, "200 operators ran without a backward pass"),
                                        (wait_without_updates, "20 backward passes ran without an optimizer's step")])
def test_a_loop_that_waits_for_data_ends(wait, line):
    network = torch.nn.Linear(4, 4)
    with mock.patch("rooftile.capturing.patience._OPERATORS", 200), mock.patch("rooftile.capturing.patience._PASSES", 20), \
            pytest.raises(rooftile.Error) as raised:
        rooftile.capture(lambda x: wait(network, x), torch.empty(2, 4))
    assert re.match(r"test_capture_errors.py:\d+: " + line + "; a loop that waits for data", str(raised.value))


class Counting(torch.nn.Module):
    """Takes a number, and tensors of its own."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, n, scale=1):
        return self.linear(torch.ones(n, 8, device=self.linear.weight.device)) * scale


@pytest.mark.parametrize("inputs", [(5,), 5, {"n": 5}, {"n": 5, "scale": 2}, (5, 2.0)])
def test_a_module_may_take_numbers(inputs):
    assert launches(rooftile.capture(Counting(), inputs))["forward"]["addmm"] == 1


def test_what_the_module_raises_comes_through():
    with pytest.raises(RuntimeError) as raised:
        rooftile.capture(Broken(), torch.empty(2, 3))
    assert "mat1 and mat2" in str(raised.value)
    assert any(entry.name == "forward" for entry in raised.traceback)


class Compiled(torch.nn.Module):  # as torch.compile returns it
    def __init__(self, module):
        super().__init__()
        self._orig_mod = module


def embedding(**options):
    return torch.nn.Sequential(torch.nn.Embedding(100, 8, **options), torch.nn.Linear(8, 8))


def quantised():
    return torch.quantization.quantize_dynamic(torch.nn.Sequential(torch.nn.Linear(8, 8)), {torch.nn.Linear})


@pytest.mark.parametrize("call, line", [
    (lambda: rooftile.capture(3), "a torch.nn.Module or a function is captured, not int"),
    (lambda: rooftile.capture(torch.nn.ReLU(), torch.empty(2), precision="fp17"), "precision 'fp17' is not one of"),
    (lambda: rooftile.capture(torch.nn.ReLU(), torch.empty(2), layout="chwn"), "neither nchw nor nhwc"),
    (lambda: rooftile.capture(torch.nn.ReLU(), (2, 2)), "inputs of a module are tensors; a shape is written torch.empty(2, 2)"),
    (lambda: rooftile.capture(torch.nn.Linear(2, 2), torch.empty(2, 2), training=True, optimizer="sdg"), "optimizer 'sdg'"),
    (lambda: rooftile.capture(torch.nn.Linear(2, 2), torch.empty(2, 2), training=True, optimizer=["sgd"]), "optimizer ['sgd']"),
    (lambda: rooftile.capture(torch.nn.Linear(2, 2), torch.empty(2, 2), training=True,
                              optimizer=torch.optim.Adam(torch.nn.Linear(2, 2).parameters())), "optimizer Adam ("),
    (lambda: rooftile.capture(torch.nn.ReLU(), torch.empty(2, 2), precision=["fp16"]), "precision ['fp16'] is not one of"),
    (lambda: rooftile.capture(torch.nn.Linear(2, 2), torch.empty(2, 2), training=True, loss=torch.nn.CrossEntropyLoss),
     "loss= is the class CrossEntropyLoss; give CrossEntropyLoss()"),
    (lambda: rooftile.capture(torch.nn.ReLU(), numpy.zeros((2, 2), numpy.uint16)), "PyTorch has no tensors of uint16"),
    (lambda: rooftile.capture(torch.nn.ReLU(), numpy.array([None, 1])), "PyTorch has no tensors of object"),
    (lambda: rooftile.capture(torch.nn.ReLU(), torch.empty(2, 2), training=True), "no parameters to train"),
    (lambda: rooftile.capture(torch.nn.ReLU(), torch.empty(2, 2).to_sparse()), "sparse"),
    (lambda: rooftile.capture(embedding(sparse=True), torch.zeros(4, dtype=torch.int64), training=True), "sparse=False"),
    (lambda: rooftile.capture(Calling(lambda x: torch.sparse.mm(x.to_sparse(), x.t())), torch.empty(2, 2)),
     "to_sparse (test_capture_errors.py:"),
    (lambda: rooftile.capture(torch.nn.ReLU(), torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)), "quantised"),
    (lambda: rooftile.capture(quantised(), torch.empty(2, 8)), "PyTorch has it for the CPU alone"),
    (lambda: rooftile.capture(Calling(lambda x: torch.histogram(x, bins=4)[0]), torch.empty(4)),
     "aten.histogram (test_capture_errors.py:"),
    (lambda: rooftile.capture(Compiled(torch.nn.ReLU()), torch.empty(2)), "a compiled module"),
    (lambda: rooftile.capture(torch.nn.Sequential(Compiled(torch.nn.ReLU())), torch.empty(2)), "a compiled module"),
    (lambda: rooftile.capture(torch.nn.LSTM(8, 8), torch.nn.utils.rnn.pack_sequence([torch.ones(3, 8)])), "pad them"),
    (lambda: rooftile.capture(torch.nn.ReLU(), torch.nested.nested_tensor([torch.ones(3), torch.ones(2)])), "nested"),
    (lambda: rooftile.capture(torch.jit.script(torch.nn.ReLU()), torch.empty(2)), "TorchScript"),
    (lambda: rooftile.capture(lambda: None), "nothing of it ran"),
    (lambda: rooftile.predict(torch.nn.ReLU(), "t4"), "needs inputs="),
    (lambda: rooftile.predict(rooftile.capture(torch.nn.ReLU(), torch.empty(4, 4)), "t4", batch_size=8), "captured at 4"),
    (lambda: rooftile.predict(rooftile.capture(torch.nn.ReLU(), torch.empty(4, 4)), "t4", training=True),
     "captured without gradients"),
])
def test_an_error_is_one_line(call, line):
    with pytest.raises(rooftile.Error) as raised:
        call()
    assert line in str(raised.value)
    assert "\n" not in str(raised.value)
