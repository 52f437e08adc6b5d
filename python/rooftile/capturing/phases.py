"""Which part of a step runs, and for which module."""

import contextlib
import weakref

import torch

from .errors import Error
from .patience import Patience
from .place import place
from .samples import Samples
from .traced import Traced

FORWARD, BACKWARD, UPDATE = "forward", "backward", "update"
_MAKING = ("rand", "randn", "randint", "randperm")  # data: between an update and the next forward pass they are of the latter


class Phases:
    """Knows the part of the step that runs now and the path of the module that it runs for.

    on_update is called after each optimizer.step(), on_forward before each call of an outermost module.
    """

    def __init__(self, on_update=None, on_forward=None):
        self.part = FORWARD
        self.optimizers_stepped = 0
        self._optimizers = []  # that have stepped, in order: weak references, since a program may make one in each iteration
        self._made = weakref.WeakSet()  # optimizers
        self.roots = []       # outermost modules that were called
        self.samples = Samples()
        self.patience = Patience()
        self._names = {}      # of modules, by id
        self._stack = []
        self._in_backward = 0
        self._in_update = 0
        self._gradient_of = ""
        self._on_update = on_update or (lambda optimizer: None)
        self._on_forward = on_forward or (lambda module: None)

    @property
    def path(self):
        if self._in_update:
            return "optimizer"
        if self._stack:
            return self._stack[-1]
        return self._gradient_of if self._in_backward else ""

    def part_of(self, name):
        """The part that an operator is of."""
        return FORWARD if name in _MAKING and not self._in_update else self.part

    def forget(self):
        """Lets go of the program's modules and optimizers."""
        for found in (self._optimizers, self._made, self.roots, self._names, self._stack):
            found.clear()
        self.samples.clear()

    def label_memory(self):
        """Says of weights, gradients and the state of optimizers that they are that: later they may be gone."""
        weights = [one for root in self.roots for one in root.parameters()]
        optimizers = [optimizer for one in self._optimizers if (optimizer := one()) is not None]
        states = [state for optimizer in optimizers for state in optimizer.state.values() if isinstance(state, dict)]
        _label((one.grad for one in weights), "gradients")
        for one in weights:
            if isinstance(one, Traced) and isinstance(one.grad, Traced) and one.grad.block is not None:
                one.grad.block.owner = one.block.owner
        _label((value for state in states for value in state.values()), "optimizer")
        _label([*weights, *(one for root in self.roots for one in root.buffers())], "weights")

    # --- modules ---------------------------------------------------------------------------------------------------

    def _name(self, module):
        if not self._stack and not self._in_backward:
            if all(module is not root for root in self.roots):
                self.roots.append(module)
            for name, child in module.named_modules():
                self._names[id(child)] = name
                for tensor in [*child._parameters.values(), *child._buffers.values()]:
                    if isinstance(tensor, Traced) and tensor.block is not None:
                        tensor.block.owner, tensor.block.holds = name, "weights"
        return self._names.get(id(module), type(module).__name__)

    def _enter(self, module, inputs):
        if isinstance(module, torch.jit.ScriptModule):
            raise Error(f"TorchScript modules are not captured ({place()}); call the torch.nn.Module that it was made of")
        if not self._stack and not self._in_backward:
            self._on_forward(module)
            self.part = FORWARD
            if any(True for _ in module.parameters()):
                self.samples.enter(module, inputs)
        self.samples.look(module, inputs)
        self._stack.append(self._name(module))

    def _leave(self, module, inputs, output):
        if self._stack:
            self._stack.pop()
        if not self._stack and not self._in_backward:
            self.samples.leave(output)

    def of_operator(self, name, tensors, results):
        """The path for an operator on these tensors: in a backward pass that of the module whose gradient it is."""
        if not self._in_backward or self._stack:
            for tensor in tensors:
                if tensor.block is not None:
                    tensor.block.owner = tensor.block.owner or self.path  # of what the program gives
            for tensor in results:
                if tensor.block is not None and not tensor.block.holds and tensor.block.use != "gradients":
                    tensor.block.owner = self.path
                    if name == "_to_copy" and tensors and tensors[0].block is not None and tensors[0].block.holds:
                        tensor.block.holds = "copies of weights"  # of autocast
            return self.path
        blocks = [tensor.block for tensor in tensors if tensor.block is not None]
        weights = [block for block in blocks if block.holds or block.use == "gradients"]
        if weights:
            self._gradient_of = weights[0].owner
        elif name.endswith("_backward") or name.endswith("_backward_data"):
            self._gradient_of = next((block.owner for block in blocks[:0:-1] if block.owner), self._gradient_of)
        return self._gradient_of

    def turn_to_gradient(self, path):
        """What follows in the backward pass is the gradient of that module."""
        self._gradient_of = path

    # --- backward and update ---------------------------------------------------------------------------------------

    def _during_backward(self, run):
        whole = run is torch.autograd.backward  # grad() may be of a penalty

        def wrapper(*args, **kwargs):
            self._in_backward += 1
            self.part = BACKWARD
            stack, self._stack = self._stack, []
            try:
                result = run(*args, **kwargs)
            finally:
                self._stack = stack
                self._in_backward -= 1
                if not self._in_backward:
                    self.part = UPDATE
                    self._gradient_of = ""
            if not self._in_backward:
                self.label_memory()
                self.patience.backward()
                if whole:
                    self.samples.backward()
            return result

        return wrapper

    @property
    def has_optimizer(self):
        """Whether there is one."""
        return bool(self._made)

    def idle_optimizers(self):
        """How many there are that have not stepped."""
        known = [one() for one in self._optimizers]
        return sum(all(optimizer is not one for one in known) for optimizer in self._made)

    def is_first(self, optimizer):
        """Whether it is the one that stepped first, or stands for it."""
        return self._optimizers[0]() is optimizer

    def _remember(self, optimizer):
        """A new one takes the place of one that is gone."""
        known = [one() for one in self._optimizers]
        if all(optimizer is not one for one in known):
            self.optimizers_stepped += 1
            place = known.index(None) if None in known else len(known)
            self._optimizers[place:place + 1] = [weakref.ref(optimizer)]

    def _during_update(self, run):
        def wrapper(optimizer, *args, **kwargs):
            self._in_update += 1
            self.part = UPDATE
            try:
                result = run(optimizer, *args, **kwargs)
            finally:
                self._in_update -= 1
            self._remember(optimizer)
            self.label_memory()
            self.patience.update()
            self.samples.update(self.is_first(optimizer))
            self._on_update(optimizer)
            return result

        return wrapper

    @contextlib.contextmanager
    def watched(self):
        """While it lasts, modules, autograd and optimizers tell where they are."""
        modules = torch.nn.modules.module
        hooks = [modules.register_module_forward_pre_hook(self._enter),
                 modules.register_module_forward_hook(self._leave)]
        patched = []

        def patch(owner, name, wrap):
            patched.append((owner, name, getattr(owner, name)))
            setattr(owner, name, wrap(getattr(owner, name)))

        def watch(cls):
            if "step" in cls.__dict__ and all(owner is not cls for owner, _, _ in patched):
                patch(cls, "step", self._during_update)

        def watch_all(cls):
            for derived in cls.__subclasses__():
                watch(derived)
                watch_all(derived)

        def watching(init):
            def wrapper(optimizer, *args, **kwargs):
                self._made.add(optimizer)
                for cls in type(optimizer).__mro__:
                    if cls is not torch.optim.Optimizer and issubclass(cls, torch.optim.Optimizer):
                        watch(cls)
                return init(optimizer, *args, **kwargs)

            return wrapper

        patch(torch.autograd, "backward", self._during_backward)
        patch(torch.autograd, "grad", self._during_backward)
        patch(torch.optim.Optimizer, "__init__", watching)
        watch_all(torch.optim.Optimizer)
        try:
            yield self
        finally:
            for owner, name, value in reversed(patched):
                setattr(owner, name, value)
            for hook in hooks:
                hook.remove()


def _label(tensors, use):
    for tensor in tensors:
        if isinstance(tensor, Traced) and tensor.block is not None:
            tensor.block.use = use
