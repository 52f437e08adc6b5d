"""Collects what a step launches."""

import math

from torch.utils._pytree import tree_flatten

from . import operators, versions
from .calls import HEAVY
from .phases import BACKWARD
from .place import place
from .traced import Traced


class Recorder:
    """Operators as calls that are unlike each other, and launches of these in order."""

    def __init__(self, phases):
        self._phases = phases
        self.recording = False
        self.remarks = {}  # as keys: notes on the whole program
        self.clear()

    def clear(self):
        self.calls = {}  # Call -> index
        self.launches = []  # (index, path of the module, part)
        self.depending = {}  # (operator, place) -> what is assumed
        self.convolutions = self.channels_last = 0

    def record(self, function, args, kwargs, results):
        """An operator that ran on the GPU."""
        if operators.is_free(function):
            return
        self._phases.patience.operator()
        if not self.recording:
            return
        name = versions.packet_name(function)
        path = self._phases.of_operator(name, _traced((args, kwargs)), _traced(results))
        for call in operators.calls_of(function, args, kwargs, results):
            self._launch(call, path, self._phases.part_of(name))
        if name == "convolution":
            self.convolutions += 1
            self.channels_last += args[0].dim() == 4 and not args[0].is_contiguous()

    @property
    def path(self):
        """Of the module that runs now."""
        return self._phases.path

    def launch(self, calls, gradient_of=None):
        """Calls that no operator of PyTorch stands for; gradient_of: the path of the module whose gradients they make."""
        if gradient_of is not None:
            self._phases.turn_to_gradient(gradient_of)
        if self.recording:
            for call in calls:
                self._launch(call, self._phases.path, self._phases.part)

    def _launch(self, call, path, part):
        index = self.calls.setdefault(call, len(self.calls))
        self.launches.append((index, path, part))

    def depends(self, name, assumed, is_read=False):
        """An operator whose result depends on data, which the program may read: where it stands in the user's program."""
        where = place()
        if is_read:
            self._phases.patience.last_read = where
        if self.recording:
            self.depending.setdefault((name, where), assumed)

    def remark(self, text):
        """A note that is not of one place."""
        self.remarks[text] = None

    @property
    def has_gradients(self):
        return any(part == BACKWARD for _, _, part in self.launches)

    # --- as the file ------------------------------------------------------------------------------------------------

    def calls_json(self):
        return [_call_json(call) for call in self.calls]

    def launches_json(self):
        """[call, name, part]: the module's path, and the operator where that is not the module's only or heaviest."""
        calls = list(self.calls)
        sources, heavy = {}, {}
        for index, path, part in self.launches:
            call = calls[index]
            sources.setdefault((path, part), set()).add(call.source)
            if call.op in HEAVY:
                heavy.setdefault((path, part), set()).add(call.source)
        named = []
        for index, path, part in self.launches:
            call = calls[index]
            operator = call.source.split(".")[-1]
            main = heavy.get((path, part), sources[path, part])
            alone = path and main == {call.source}
            named.append([index, path if alone else f"{path}/{operator}" if path else operator, part])
        return named

    def notes(self):
        return [*(f"{name} depends on data; it is taken that it {assumed} ({place})"
                  for (name, place), assumed in sorted(self.depending.items())), *self.remarks]


def _traced(values):
    return [leaf for leaf in tree_flatten(values)[0] if isinstance(leaf, Traced)]


def _call_json(call):
    document = {"source": call.source, "op": call.op}
    document.update({key: list(value) if isinstance(value, tuple) else value for key, value in call.attributes})
    if call.passing != "fwd":
        document["pass"] = call.passing
    if call.general:
        document["general"] = True
    document["inputs"] = [_operand_json(one) for one in call.inputs]
    document["outputs"] = [_operand_json(one) for one in call.outputs]
    return document


def _operand_json(one):
    document = {"shape": list(one.shape), "dtype": one.dtype}
    if one.constant:
        document["constant"] = True
    return document


def precision_of(calls, launches):
    """What most products are in, by elements of their results; mixed with FP32 weights it is autocast's."""
    work = {}
    for index, _, _ in launches:
        call = calls[index]
        if call.op in HEAVY and call.inputs:
            size = math.prod(call.outputs[0].shape)
            work[call.inputs[0].dtype] = work.get(call.inputs[0].dtype, 0) + size
    most = max(work, key=work.get) if work else "fp32"
    return most if most in ("fp16", "bf16", "fp64") else "fp32"

