"""Mixed precision, layouts and memory of captured steps."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing is captured")
torchvision = pytest.importorskip("torchvision", reason="torchvision is not installed")

from captures import launches  # noqa: E402

import rooftile  # noqa: E402


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


def test_without_data_takes_no_memory():
    with rooftile.without_data():
        network = torch.nn.Linear(1 << 17, 1 << 17)  # 64 GiB
    assert rooftile.capture(network, torch.empty(1, 1 << 17, device="meta")).memory["weights"] > 1 << 36
