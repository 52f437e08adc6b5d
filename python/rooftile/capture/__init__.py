"""Captures a step of a PyTorch program without a GPU, and without allocating what it would allocate there.

    step = rooftile.capture.capture(torchvision.models.resnet50(), inputs=torch.empty(32, 3, 224, 224), training=True)
    rooftile.predict(step, gpu="rtx-4090")

PyTorch dispatches every operator of a training step on tensors that have shapes and no data; each is noted with the
module and the part of the step that it is of. Needs PyTorch 1.13 or later; nothing of it is imported before.
"""

from .capturing import capture
from .errors import Error
from .step import Step

__all__ = ["capture", "Error", "Step"]
