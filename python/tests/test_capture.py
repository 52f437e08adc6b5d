"""Captured steps: what is launched, how much of it, what is left behind."""

import collections
import copy
import gc
import json
import math
import pathlib
import re
from unittest import mock

import networks
import numpy
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing is captured")
torchvision = pytest.importorskip("torchvision", reason="torchvision is not installed")

import rooftile  # noqa: E402
from rooftile.capturing.traced import Traced  # noqa: E402
from rooftile.capturing.versions import HAS_FUSED_ATTENTION  # noqa: E402

PRODUCTS = ("conv", "gemm", "attention")


def tokens(*shape):
    return torch.zeros(*shape, dtype=torch.int64)


def launches(step):
    """How often each operator runs in each part."""
    document = step.to_dict()
    count = collections.defaultdict(collections.Counter)
    for call, _, part in document["launches"]:
        count[part][document["calls"][call]["source"].split(".")[1]] += 1
    return count


def flops(prediction, part=None):
    return sum(layer.flops for layer in prediction.layers if layer.op in PRODUCTS and part in (None, layer.phase))


def torchvision_network(name):
    options = {"init_weights": False} if name == "inception_v3" else {}
    with rooftile.without_data():
        return getattr(torchvision.models, name)(**options)


# --- launches, counted by hand -----------------------------------------------------------------------------------------


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


# --- arithmetic against the ONNX path ----------------------------------------------------------------------------------

NETWORKS = {"resnet18": 224, "resnet50": 224, "vgg16": 224, "mobilenet_v2": 224, "densenet121": 224,
            "squeezenet1_0": 224, "inception_v3": 299, "efficientnet_b0": 224, "regnet_y_400mf": 224,
            "convnext_tiny": 224, "vit_b_16": 224, "swin_t": 224, "shufflenet_v2_x1_0": 224}


@pytest.mark.parametrize("name", NETWORKS)
def test_flops_are_those_of_the_onnx_path(name):
    image = torch.empty(4, 3, NETWORKS[name], NETWORKS[name])
    module = torchvision_network(name)
    captured = rooftile.predict(rooftile.capture(module, image), "t4")
    assert flops(captured) == flops(rooftile.predict(name, "t4", batch_size=4))


@pytest.mark.parametrize("name", [name for name in NETWORKS if name != "inception_v3"])  # which trains a second head
def test_a_training_step_is_three_times_the_forward_pass_less_the_first_gradient(name):
    image = torch.empty(4, 3, NETWORKS[name], NETWORKS[name])
    step = rooftile.capture(torchvision_network(name), image, training=True)
    prediction = rooftile.predict(step, "t4")
    forward = flops(rooftile.predict(step, "t4", phase="fwd"))
    first = next(layer.flops for layer in prediction.layers if layer.op in PRODUCTS)
    assert flops(prediction) == 3 * forward - first


def backward_of(make, inputs, reduced):
    """The step that computes the gradients of a number that is made of a module's result."""
    module = make()
    return rooftile.predict(rooftile.capture(lambda x: reduced(module(x)).backward(), inputs), "t4")


@pytest.mark.parametrize("make, inputs", [
    (lambda: torch.nn.Linear(64, 10), (8, 64)),
    (lambda: torch.nn.Conv2d(3, 8, 3), (4, 3, 32, 32)),
    (lambda: torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.MaxPool2d(2), torch.nn.AdaptiveAvgPool2d(1)),
     (4, 3, 32, 32)),
    (lambda: torchvision.models.resnet18(), (2, 3, 64, 64)),
])
def test_a_gradient_that_is_one_number_repeated_is_of_full_size_in_products(make, inputs):
    one = backward_of(make, torch.empty(inputs), torch.sum)
    each = backward_of(make, torch.empty(inputs), lambda result: result.pow(2).mean())
    assert flops(one) == flops(each) > 0


# --- networks as people write them -------------------------------------------------------------------------------------


def gan_step():
    generator, discriminator = networks.generator(features=8), networks.discriminator(features=8)
    of_generator = torch.optim.Adam(generator.parameters())
    of_discriminator = torch.optim.Adam(discriminator.parameters())
    loss = torch.nn.BCELoss()

    def step(real):
        ones = torch.ones(real.shape[0], device=real.device)
        discriminator.zero_grad()
        loss(discriminator(real), ones).backward()
        fake = generator(torch.randn(real.shape[0], 100, 1, 1, device=real.device))
        loss(discriminator(fake.detach()), 0 * ones).backward()
        of_discriminator.step()
        generator.zero_grad()
        loss(discriminator(fake), ones).backward()
        of_generator.step()

    return step, generator, of_generator


def dqn_step():
    network, target = networks.dqn(), networks.dqn()
    optimizer = torch.optim.RMSprop(network.parameters())

    def step(state, action, reward, after):
        with torch.no_grad():
            wanted = reward + 0.99 * target(after).max(1)[0]
        found = network(state).gather(1, action).squeeze(1)
        loss = torch.nn.functional.smooth_l1_loss(found, wanted)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 10.0)
        optimizer.step()
        return loss.item()

    return step


def copied_step():
    network = torch.nn.Linear(8, 8)
    return lambda x: copy.deepcopy(network)(x)


STYLES = {
    "llama": lambda: rooftile.capture(networks.Llama(), tokens(2, 64), training=True, optimizer="adamw",
                                      precision="amp-bf16"),
    "llama decoding": lambda: rooftile.capture(
        networks.Llama(), (tokens(2, 1), [(torch.empty(2, 2, 64, 64),) * 2] * 2), precision="fp16"),
    "nanoGPT": lambda: rooftile.capture(networks.GPT(), (tokens(4, 128), tokens(4, 128)), training=True,
                                        loss=lambda output: output[1], optimizer="adamw"),
    "denoiser": lambda: rooftile.capture(networks.UNet(), (torch.empty(4, 3, 32, 32), tokens(4)), training=True),
    "dcgan": lambda: rooftile.capture(gan_step()[0], torch.empty(16, 3, 64, 64)),
    "dqn": lambda: rooftile.capture(dqn_step(), (torch.empty(32, 4, 84, 84), tokens(32, 1), torch.empty(32),
                                                 torch.empty(32, 4, 84, 84))),
    "transformer": lambda: rooftile.capture(torch.nn.Transformer(64, 4, 2, 2, 128, batch_first=True),
                                            (torch.empty(2, 16, 64), torch.empty(2, 16, 64)), training=True),
    "encoder": lambda: rooftile.capture(torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(64, 4), 2),
                                        torch.empty(16, 2, 64), training=True),
    "several GPUs": lambda: rooftile.capture(torch.nn.DataParallel(torch.nn.Linear(8, 8)), torch.empty(4, 8), training=True),
    "copied": lambda: rooftile.capture(copied_step(), torch.empty(4, 8)),
    "lstm": lambda: rooftile.capture(torch.nn.LSTM(64, 64, 2), torch.empty(20, 4, 64), training=True,
                                     loss=lambda output: output[0].mean()),
    "segmentation": lambda: rooftile.capture(
        torchvision.models.segmentation.fcn_resnet50(weights=None, weights_backbone=None), torch.empty(2, 3, 64, 64),
        training=True),
    "video": lambda: rooftile.capture(torchvision.models.video.r3d_18(), torch.empty(1, 3, 8, 56, 56), training=True),
    "detection": lambda: rooftile.capture(
        torchvision.models.detection.fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None),
        ([torch.empty(3, 200, 300)] * 2, [{"boxes": torch.tensor([[1.0, 1.0, 99.0, 99.0]]), "labels": tokens(1) + 1}] * 2),
        training=True),
}


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


@pytest.mark.parametrize("options, products", [({}, 64 + 128), ({"proj_size": 32}, 64 + 32 + 128 * 32 / 512)])
def test_flops_of_an_lstm(options, products):
    # Each of 20 x 8 positions: 4 gates of 128 from input and hidden state, and 128 x 32 where these are projected.
    lstm, inputs = torch.nn.LSTM(64, 128, **options), torch.empty(20, 8, 64)
    step = rooftile.capture(lstm, inputs, training=True, loss=lambda output: output[0].mean())
    forward = 2 * 20 * 8 * 4 * 128 * products
    kinds = ("recurrent", "gemm")
    assert sum(layer.flops for layer in rooftile.predict(step, "t4", phase="fwd").layers if layer.op in kinds) == forward
    trained = sum(layer.flops for layer in rooftile.predict(step, "t4").layers if layer.op in kinds)
    assert 2.6 * forward <= trained <= 3 * forward


@pytest.mark.parametrize("function, shapes, expected", [
    (torch.mv, [(64, 32), (32,)], 2 * 64 * 32), (torch.addmv, [(64,), (64, 32), (32,)], 2 * 64 * 32),
    (torch.addbmm, [(8, 9), (4, 8, 7), (4, 7, 9)], 4 * 2 * 8 * 7 * 9)])
def test_products_with_vectors_and_of_batches_that_add_up(function, shapes, expected):
    step = rooftile.capture(lambda *tensors: function(*tensors), tuple(map(torch.empty, shapes)))
    layers = rooftile.predict(step, "t4").layers
    assert {layer.op for layer in layers} == {"gemm"}
    assert sum(layer.flops for layer in layers) == pytest.approx(expected, rel=0.01)  # a bias is added


@pytest.mark.parametrize("loss, source", [
    (torch.nn.MSELoss(), "mse_loss"), (torch.nn.CrossEntropyLoss(weight=torch.ones(8)), "nll_loss_forward"),
    (torch.nn.BCEWithLogitsLoss(), "binary_cross_entropy_with_logits"), (lambda output: output.pow(2).sum(), "pow")])
def test_losses(loss, source):
    step = rooftile.capture(torch.nn.Linear(8, 8), torch.empty(4, 8), training=True, loss=loss)
    assert source in launches(step)["forward"]


# --- samples -----------------------------------------------------------------------------------------------------------


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


# --- mixed precision, layouts, memory ----------------------------------------------------------------------------------


def test_autocast_casts_each_weight_once_and_keeps_losses_wide():
    network = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
    step = rooftile.capture(network, torch.empty(8, 64), training=True, precision="amp-fp16")
    assert step.precision == "amp-fp16"
    document = step.to_dict()
    types = {call["source"]: call["inputs"][0]["dtype"] for call in document["calls"] if call["inputs"]}
    assert types["aten.addmm"] == "fp16" and types["aten.nll_loss_forward"] == "fp32"
    # cross_entropy() asks for the type of its scores; the loss of these is on the list of wide ones.
    assert types["aten._log_softmax"] == "fp16"
    assert launches(step)["forward"]["_to_copy"] == 6  # input, two weights, two biases, the logarithms


def test_softmax_under_autocast_computes_wide_in_one_kernel():
    class Attend(torch.nn.Module):
        def forward(self, q, k):
            return (q @ k.transpose(1, 2)).softmax(-1)

    step = rooftile.capture(Attend(), (torch.empty(2, 8, 4), torch.empty(2, 8, 4)), precision="amp-fp16")
    assert launches(step)["forward"] == {"_to_copy": 2, "bmm": 1, "_softmax": 1}
    softmax = next(call for call in step.to_dict()["calls"] if call["op"] == "softmax")
    assert (softmax["inputs"][0]["dtype"], softmax["outputs"][0]["dtype"]) == ("fp16", "fp32")


def test_channels_last_is_seen():
    network = torch.nn.Sequential(torch.nn.Conv2d(8, 8, 3), torch.nn.ReLU())
    image = torch.empty(4, 8, 32, 32)
    assert rooftile.capture(network, image, layout="nhwc").to_dict()["nhwc"] is True
    assert rooftile.capture(network, image).to_dict()["nhwc"] is False


def test_memory_is_what_lives():
    network = torch.nn.Linear(1024, 1024, bias=False)
    memory = rooftile.capture(network, torch.empty(256, 1024), training=True, optimizer="adam",
                              loss=lambda output: output.sum()).memory
    weight = 1024 * 1024 * 4
    assert memory["weights"] == memory["gradients"] == weight
    assert memory["optimizer"] == 2 * weight
    assert 256 * 1024 * 4 <= memory["activations"] < 4 * weight


def test_memory_is_split_as_it_is_at_the_peak():
    layers = [layer for _ in range(4) for layer in (torch.nn.Linear(64, 64, bias=False), torch.nn.ReLU())]
    network = torch.nn.Sequential(*layers)
    memory = rooftile.capture(network, torch.empty(4096, 64), training=True, optimizer="adam").memory
    weights, result = 4 * 64 * 64 * 4, 4096 * 64 * 4
    # When the backward pass begins: the input, the result of each activation, and a few of the loss are there.
    assert (memory["weights"], memory["gradients"], memory["optimizer"]) == (weights, 0, 2 * weights)
    assert 5 * result < memory["activations"] < 9 * result


# Measured by torch.cuda.max_memory_allocated: 128 images, FP32, SGD, ten classes, PyTorch 2.0.1, RTX 4090 (the README of
# WSShiro/vramexp, GitHub). Workspaces of cuDNN are in the measured figure and not in ours.
@pytest.mark.parametrize("name, measured", [("resnet50", 11738), ("vit_b_16", 17218)])
def test_memory_is_near_what_was_measured(name, measured):
    with rooftile.without_data():
        module = getattr(torchvision.models, name)(num_classes=10)
    memory = rooftile.capture(module, torch.empty(128, 3, 224, 224, device="meta"), training=True).memory
    assert sum(memory.values()) / 2**20 == pytest.approx(measured, rel=0.1)


def test_checkpointing_computes_again_and_keeps_less():
    from torch.utils.checkpoint import checkpoint

    blocks = torch.nn.ModuleList(torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.GELU(),
                                                     torch.nn.Linear(1024, 256)) for _ in range(8))
    optimizer = torch.optim.SGD(blocks.parameters(), lr=0.1)

    def train(again):
        def step(x):
            x = x.requires_grad_()
            for block in blocks:
                x = checkpoint(block, x, use_reentrant=True) if again else block(x)
            optimizer.zero_grad(set_to_none=True)
            x.sum().backward()
            optimizer.step()

        return rooftile.capture(step, torch.empty(4096, 256))

    plain, recomputed = train(False), train(True)
    assert launches(recomputed)["backward"]["addmm"] == 16
    assert recomputed.memory["activations"] < plain.memory["activations"]


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


def test_without_data_takes_no_memory():
    with rooftile.without_data():
        network = torch.nn.Linear(1 << 17, 1 << 17)  # 64 GiB
    assert rooftile.capture(network, torch.empty(1, 1 << 17, device="meta")).memory["weights"] > 1 << 36


def test_a_step_fits_its_schema():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((pathlib.Path(__file__).parents[2] / "data" / "schema" / "step-1.json").read_text())
    for style in ("llama", "dqn", "lstm", "detection"):
        jsonschema.validate(STYLES[style]().to_dict(), schema)


# --- what is general, what depends on data -----------------------------------------------------------------------------


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
    assert "test_capture.py:" in notes and "item() depends on data; it is taken that it reads 0" in notes
    masked = rooftile.capture(Calling(lambda x: x[x > 0]), torch.empty(64, 4)).notes
    assert len(masked) == 1 and masked[0].startswith("a mask as index depends on data; it is taken that it selects all elements")


class Calling(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


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
    assert re.match(r"test_capture.py:\d+: " + line + "; a loop that waits for data", str(raised.value))


# --- bad input ---------------------------------------------------------------------------------------------------------


class Broken(torch.nn.Module):
    def forward(self, x):
        return x @ x


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
     "to_sparse (test_capture.py:"),
    (lambda: rooftile.capture(torch.nn.ReLU(), torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)), "quantised"),
    (lambda: rooftile.capture(quantised(), torch.empty(2, 8)), "PyTorch has it for the CPU alone"),
    (lambda: rooftile.capture(Calling(lambda x: torch.histogram(x, bins=4)[0]), torch.empty(4)),
     "aten.histogram (test_capture.py:"),
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


# --- nothing is left behind --------------------------------------------------------------------------------------------


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
