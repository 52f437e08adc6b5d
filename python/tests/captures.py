"""Steps that several tests capture, and what they count in them."""

import collections
import copy

import networks
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing is captured")
torchvision = pytest.importorskip("torchvision", reason="torchvision is not installed")

import rooftile  # noqa: E402


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


class Calling(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


class Broken(torch.nn.Module):
    def forward(self, x):
        return x @ x
