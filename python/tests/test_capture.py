"""Captured steps: what is launched, and what is left behind."""

import collections
import gc
import json
import pathlib

import networks
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing is captured")

from captures import STYLES, Broken, gan_step, launches, tokens, torchvision_network  # noqa: E402

import rooftile  # noqa: E402
from rooftile.capturing.traced import Traced  # noqa: E402
from rooftile.capturing.versions import HAS_FUSED_ATTENTION  # noqa: E402


def test_resnet50_launches_what_pytorch_launches():
    step = rooftile.capture(torchvision_network("resnet50"), torch.empty(4, 3, 64, 64), training=True, optimizer="momentum")
    count = launches(step)
    # 53 convolutions, each with a norm and its counter of batches; 16 blocks with 3 activations and a sum; the stem.
    assert count["forward"] == {
        "convolution": 53, "native_batch_norm": 53, "add_": 53 + 16, "relu_": 49, "max_pool2d_with_indices": 1, "mean": 1,
        "addmm": 1, "zeros": 1, "_log_softmax": 1, "nll_loss_forward": 2}
    # Both gradients of each convolution but the first; a sum where a block's input is read twice.
    assert count["backward"] == {
        "convolution_backward": 2 * 53 - 1, "native_batch_norm_backward": 53, "threshold_backward": 49,
        "max_pool2d_with_indices_backward": 1, "add": 16, "mm": 2, "sum": 1, "div": 1, "_log_softmax_backward_data": 1,
        "nll_loss_backward": 1, "ones_like": 1}
    # 161 weights: the momentum times 0.9, plus the gradient; the weight minus that.
    assert count["update"] == {"mul_": 161, "add_": 2 * 161}


@pytest.mark.skipif(HAS_FUSED_ATTENTION, reason="counted for the foreach-less optimizers of PyTorch 1.13")
def test_bert_launches_what_pytorch_launches():
    with rooftile.without_data():
        bert = networks.Bert()
    count = launches(rooftile.capture(bert, tokens(8, 128), training=True, optimizer="adamw"))
    layers, linear, norms, dropouts, weights = 12, 12 * 6 + 2, 12 * 2 + 2, 12 * 3 + 1, 202
    assert count["forward"] == {
        "addmm": linear, "native_layer_norm": norms, "native_dropout": dropouts, "bmm": 2 * layers, "_softmax": layers,
        "div": layers, "gelu": layers + 1, "clone": 4 * layers,  # queries, keys, values, the result in order
        "add": 2 + 3 * layers, "embedding": 3, "arange": 1, "ones": 1, "zeros_like": 1, "rsub": 1, "mul": 1, "zeros": 1,
        "_log_softmax": 1, "nll_loss_forward": 2}
    backward = count["backward"]
    assert backward["mm"] == 2 * linear and backward["sum"] == linear
    assert backward["bmm"] == 4 * layers and backward["_softmax_backward_data"] == layers
    assert backward["native_layer_norm_backward"] == norms and backward["native_dropout_backward"] == dropouts
    assert backward["add"] == 4 * layers + 1  # three readers beside the first, one more; the shared table of words
    # Decay, both averages; the first average and epsilon added; the square root over its correction; the update.
    assert count["update"] == {"mul_": 3 * weights, "add_": 2 * weights, "addcmul_": weights, "sqrt": weights,
                               "div": weights, "addcdiv_": weights}


@pytest.mark.parametrize("style", STYLES)
def test_captures_what_people_write(style):
    step = STYLES[style]()
    prediction = rooftile.predict(step, "rtx-4090")
    assert prediction.time > 0
    assert step.training == bool(prediction.phases)
    general = sum(layer.time for layer in prediction.layers if layer.name.endswith("frobnicate"))
    assert general == 0


class Decorated(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    @torch.inference_mode()
    def forward(self, x):
        return self.module(x)


def test_inference_mode_runs_the_same_operators():
    network = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(),
                                  torch.nn.Linear(800, 10))
    image = torch.empty(4, 3, 12, 12)
    plain = launches(rooftile.capture(network, image))
    assert launches(rooftile.capture(Decorated(network), image)) == plain
    with torch.inference_mode():
        assert launches(rooftile.capture(network, image)) == plain
        assert torch.is_inference_mode_enabled()
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


def test_an_lstm_is_one_recurrent_layer():
    step = STYLES["lstm"]()
    kinds = collections.Counter(step.to_dict()["calls"][call]["op"] for call, _, _ in step.to_dict()["launches"])
    assert kinds["recurrent"] == 3  # forward, and both gradients


@pytest.mark.parametrize("make, kind, sums", [(torch.nn.LSTMCell, "lstm", 1), (torch.nn.GRUCell, "gru", 2)])
def test_a_cell_is_two_products_and_a_kernel(make, kind, sums):
    cell = make(8, 16)

    def train(x):
        state = None
        for one in x:
            state = cell(one, state)
        (state[0] if kind == "lstm" else state).sum().backward()

    operators = rooftile.capture(train, torch.empty(10, 4, 8)).operators()
    assert operators[f"aten._thnn_fused_{kind}_cell"] == 10
    assert operators[f"aten._thnn_fused_{kind}_cell_backward"] == 10 * (1 + sums)
    # Both products of each step, the gradients of their weights, and those of all states but the first.
    assert operators["aten.mm"] == 10 * 2 + 10 * 2 + 9
    assert not {"aten.sigmoid", "aten.unsafe_split"} & set(operators)


def test_views_in_place_launch_nothing():
    optimizer = rooftile.capture(torch.nn.Linear(8, 8), torch.empty(4, 8), training=True, optimizer=torch.optim.Adamax)
    assert "aten.unsqueeze_" not in optimizer.operators()


HIDDEN = torch.nn.Linear(8, 8)


def test_a_module_that_only_a_comprehension_names_runs_on_the_gpu():
    step = rooftile.capture(lambda x: sum(HIDDEN(one).mean() for one in x).backward(), torch.empty(3, 4, 8))
    assert step.memory["weights"] == 2 * 512 and step.operators()["aten.addmm"] == 3  # weight and bias, in blocks of 512 bytes
    assert HIDDEN.weight.grad is None


def test_the_weights_of_a_recurrent_layer_are_trained():
    lstm = torch.nn.LSTM(64, 128)
    step = rooftile.capture(lstm, torch.empty(20, 8, 64), training=True, loss=lambda output: output[0].mean())
    assert step.operators()["aten.add_"] == 4
    assert step.memory["weights"] == step.memory["gradients"] == 4 * sum(one.numel() for one in lstm.parameters())
    assert lstm._flat_weights[0] is lstm.weight_ih_l0 and all(one.grad is None for one in lstm.parameters())


def test_gradients_and_their_sums_have_the_name_of_their_module():
    class Tagger(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.drop = torch.nn.Embedding(100, 8), torch.nn.Dropout(0.5)
            self.lstm, self.tags = torch.nn.LSTM(8, 8), torch.nn.Linear(8, 4)

        def forward(self, x):
            return self.tags(self.drop(self.lstm(self.drop(self.words(x)))[0]))

    tagger = Tagger()
    optimizer = torch.optim.SGD(tagger.parameters(), lr=0.1)

    def train(x):
        optimizer.zero_grad(set_to_none=False)
        tagger(x).mean().backward()
        optimizer.step()

    step = rooftile.capture(train, torch.zeros(5, 3, dtype=torch.int64)).to_dict()
    found = collections.Counter(path for _, path, part in step["launches"] if part == "backward")
    assert {path: found[path] for path in ("lstm", "lstm/add_", "words/embedding_dense_backward", "words/add_", "tags/add_")} == {
        "lstm": 2, "lstm/add_": 4, "words/embedding_dense_backward": 2, "words/add_": 1, "tags/add_": 2}


@pytest.mark.parametrize("loss, source", [
    (torch.nn.MSELoss(), "mse_loss"), (torch.nn.CrossEntropyLoss(weight=torch.ones(8)), "nll_loss_forward"),
    (torch.nn.BCEWithLogitsLoss(), "binary_cross_entropy_with_logits"), (lambda output: output.pow(2).sum(), "pow")])
def test_losses(loss, source):
    step = rooftile.capture(torch.nn.Linear(8, 8), torch.empty(4, 8), training=True, loss=loss)
    assert source in launches(step)["forward"]


def test_a_step_fits_its_schema():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((pathlib.Path(__file__).parents[2] / "data" / "schema" / "step-1.json").read_text())
    for style in ("llama", "dqn", "lstm", "detection"):
        jsonschema.validate(STYLES[style]().to_dict(), schema)


def of_pytorch():
    """What a capture replaces."""
    return [torch.Tensor.to, torch.Tensor.cuda, torch.Tensor.type, torch.tensor, torch.optim.Adam.step, torch.autograd.backward,
            torch.inference_mode.__enter__, torch.cuda.is_available(), torch.cuda.FloatTensor, torch.cuda.stream,
            torch.save, torch.load,
            torch.distributions.Distribution._validate_args, torch.distributed.get_rank, torch.set_default_tensor_type,
            torch.nn.parallel.DistributedDataParallel]


def test_the_program_is_left_as_it_was():
    step, generator, optimizer = gan_step()
    weight, before = generator[0].weight, generator[0].weight.detach().clone()
    patched = of_pytorch()
    rooftile.capture(step, torch.empty(16, 3, 64, 64))
    assert generator[0].weight is weight and weight.grad is None and torch.equal(weight, before)
    assert not optimizer.state and generator.training
    assert patched == of_pytorch()
    assert (torch.ones(2) * 2).sum().item() == 4


def test_a_failed_capture_leaves_nothing_either():
    network = torch.nn.Sequential(torch.nn.Linear(3, 3), Broken())
    weight = network[0].weight
    with pytest.raises(RuntimeError):
        rooftile.capture(network, torch.empty(2, 3))
    assert network[0].weight is weight and not isinstance(weight, Traced)
    assert network(torch.ones(3, 3)).shape == (3, 3)


def test_no_tensor_stays_alive():
    rooftile.capture(torch.nn.Linear(4, 4), torch.empty(2, 4), training=True)
    gc.collect()
    assert not [one for one in gc.get_objects() if isinstance(one, Traced)]
