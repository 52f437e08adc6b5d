"""The arithmetic of captured steps, against the ONNX path and by hand."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing is captured")
torchvision = pytest.importorskip("torchvision", reason="torchvision is not installed")

from captures import PRODUCTS, flops, torchvision_network  # noqa: E402

import rooftile  # noqa: E402


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
