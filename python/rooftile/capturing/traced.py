"""Tensors without data that stand for tensors on a GPU, and the memory that these would take."""

import collections
import weakref

import torch

from . import reading, versions
from .errors import Error
from .place import place
from .tensors import meta_twin

GPU = torch.device("cuda", 0)
HOST = torch.device("cpu")

_GRANULE = 512  # bytes: PyTorch's caching allocator rounds to these (c10/cuda/CUDACachingAllocator.cpp, kMinBlockSize)


class Block:
    """Memory of one or more tensors, as long as one of them lives."""

    def __init__(self, memory, size):
        self.memory = memory
        self.owner = ""  # path of the module that wrote it last, or whose weight it is
        self.holds = ""  # "weights", "copies of weights"
        self.use = "activations"  # or "weights", "gradients", "optimizer", once that is known
        self.is_made = False  # by a network
        self.size = -(-size // _GRANULE) * _GRANULE
        self.born = memory.allocated(self.size)

    def __del__(self):
        self.memory.freed(self)


class Memory:
    """Bytes allocated on the GPU now, and the most since the last reset(), by what they are used for."""

    def __init__(self):
        self.now = 0
        self._blocks = weakref.WeakValueDictionary()
        self._clock = 0  # allocations
        self.reset()

    def reset(self):
        self._reach()

    def _reach(self):
        """A new peak; blocks that were freed before it do not count."""
        self.peak, self._peak_at = self.now, self._clock
        self._gone = collections.Counter()  # bytes that were there at the peak, by use

    def allocated(self, size):
        """Returns the time."""
        self._clock += 1
        self.now += size
        if self.now > self.peak:
            self._reach()
        return self._clock

    def freed(self, block):
        self.now -= block.size
        if block.born <= self._peak_at:
            self._gone[block.use] += block.size

    def at_peak(self):
        """Bytes by use."""
        there = self._gone.copy()
        for block in list(self._blocks.values()):
            if block.born <= self._peak_at:
                there[block.use] += block.size
        return there

    def block_of(self, elements):
        key, size = versions.storage_of(elements)
        block = self._blocks.get(key)
        if block is None:
            block = self._blocks[key] = Block(self, size)
        return block


class Traced(torch.Tensor):
    """A tensor on a pretended device. Its elements are a meta tensor, which has a shape and strides but no data."""

    @staticmethod
    def __new__(cls, elements, device, memory, requires_grad=False):
        # The keys of a GPU's tensors let autocast see it; what computes is the meta tensor inside.
        self = torch.Tensor._make_subclass(cls, elements, requires_grad, device_for_backend_keys=GPU)
        self._set(elements, device, memory)
        return self

    def __init__(self, *_, **__):
        super().__init__()

    def _set(self, elements, device, memory):
        self.elements = elements
        self.place = device
        self.memory = memory
        self.block = memory.block_of(elements) if device.type != "cpu" else None
        self.assumed = None  # the number that is read of it, where that is known

    @property
    def device(self):
        return self.place

    @property
    def is_cuda(self):
        return self.place.type == "cuda"

    @property
    def is_cpu(self):
        return self.place.type == "cpu"

    @property
    def is_meta(self):
        return False

    def get_device(self):
        return self.place.index if self.is_cuda else -1

    @property
    def data(self):
        return self.detach()

    @data.setter
    def data(self, other):
        torch.Tensor.data.__set__(self, other)
        self._set(other.elements, other.place, other.memory)

    def __repr__(self, **_):
        return f"Traced({tuple(self.shape)}, dtype={self.dtype}, device='{self.place}')"

    def __deepcopy__(self, memo):
        copy = traced_like(self, self.place, self.memory)
        memo[id(self)] = copy
        return copy

    def __reduce_ex__(self, protocol):
        raise TypeError("a tensor of a captured step has no data to save")

    def new_tensor(self, data, dtype=None, device=None, requires_grad=False):
        return torch.tensor(data, dtype=dtype or self.dtype, device=device or self.place, requires_grad=requires_grad)

    def numpy(self, **_):
        return reading.array(self, torch.empty(0, dtype=self.dtype).numpy().dtype)

    def tolist(self):
        return reading.array(self).tolist()

    def __format__(self, spec):
        return format(self.item(), spec) if self.dim() == 0 else super().__format__(spec)

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError(f"{function} outside of the capture that its tensors are of")

    __torch_function__ = torch._C._disabled_torch_function_impl


def traced_like(tensor, device, memory, dtype=None):
    """A traced twin of a tensor: its shape, strides and type, on that device."""
    if tensor.layout != torch.strided:
        raise Error(f"a sparse tensor ({tensor.layout}) has no fixed size ({place()}); make it dense")
    with versions.without_modes():
        twin = Traced(meta_twin(tensor, dtype), device, memory, tensor.requires_grad)
    if isinstance(tensor, torch.nn.Parameter):
        twin._is_param = True
        if twin.block is not None:
            twin.block.use = "weights"
    return twin
