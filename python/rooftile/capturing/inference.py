"""torch.inference_mode for traced tensors."""

import contextlib

import torch

from .patch import method


@contextlib.contextmanager
def as_without_gradients():
    """While it lasts, inference mode is no_grad(): in it PyTorch would hand over composite operators, such as linear, whole."""
    mode = torch.autograd.grad_mode.inference_mode
    before = []

    def enter(context):
        before.append(torch.is_grad_enabled())
        torch._C._set_grad_enabled(not context.mode)

    def leave(context, *_):
        torch._C._set_grad_enabled(before.pop())

    with contextlib.ExitStack() as stack:
        if torch.is_inference_mode_enabled():
            stack.enter_context(mode(False))
            stack.enter_context(torch.no_grad())
        stack.enter_context(method(mode, "__enter__", enter))
        stack.enter_context(method(mode, "__exit__", leave))
        yield
