"""What a module is trained for."""

import torch

from .errors import Error

_OF_CLASSES = (torch.nn.CrossEntropyLoss, torch.nn.NLLLoss)
_OF_LIKE = (torch.nn.MSELoss, torch.nn.L1Loss, torch.nn.SmoothL1Loss, torch.nn.HuberLoss, torch.nn.BCELoss,
            torch.nn.BCEWithLogitsLoss, torch.nn.KLDivLoss, torch.nn.PoissonNLLLoss, torch.nn.SoftMarginLoss,
            torch.nn.MultiLabelSoftMarginLoss)


def loss_of(loss):
    """A function of a module's result."""
    if loss is None:
        return by_result
    if isinstance(loss, type):
        raise Error(f"loss= is the class {loss.__name__}; give {loss.__name__}()")
    if isinstance(loss, _OF_CLASSES):
        return lambda output: loss(_scores(output), _classes(_scores(output)))
    if isinstance(loss, _OF_LIKE):
        return lambda output: loss(_scores(output), torch.zeros_like(_scores(output)))
    if not callable(loss) or isinstance(loss, torch.nn.modules.loss._Loss):
        raise Error("loss= is a function of the module's result, or a loss of torch.nn that compares it to a target, not "
                    f"{loss!r}")
    return loss


def _scores(output):
    """The tensor of a result that a loss compares."""
    output = getattr(output, "logits", output)
    if isinstance(output, dict) and output:
        output = next(iter(output.values()))
    return _scores(output[0]) if isinstance(output, (tuple, list)) else output


def _classes(scores):
    """Targets for scores of which dimension 1 is classes, or the only one."""
    shape = (scores.shape[0], *scores.shape[2:]) if scores.dim() > 1 else ()
    return torch.zeros(shape, dtype=torch.int64, device=scores.device)


def by_result(output):
    """Of whatever a module returns."""
    if getattr(output, "loss", None) is not None:
        return output.loss
    if isinstance(output, dict) and output:
        values = [value for value in output.values() if isinstance(value, torch.Tensor)]
        if values and all(value.dim() == 0 for value in values):  # torchvision's detectors
            return sum(values)
        return by_result(values[0])
    if isinstance(output, (tuple, list)):
        if hasattr(output, "logits"):  # Inception v3, GoogLeNet with auxiliary classifiers
            return sum(by_result(one) for one in output if isinstance(one, torch.Tensor))
        return by_result(output[0])
    if not isinstance(output, torch.Tensor):
        raise Error(f"no loss is known of a {type(output).__name__}; give loss=")
    if output.dim() == 0:
        return output
    if output.dim() in (2, 3) and output.shape[-1] > 1 and output.is_floating_point():
        scores = output.reshape(-1, output.shape[-1])
        labels = torch.zeros(scores.shape[0], dtype=torch.int64, device=output.device)
        return torch.nn.functional.cross_entropy(scores, labels)
    return output.float().mean()
