"""Runs every operator on tensors without data, and tells a recorder which it was."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

from . import meta, reading, versions
from .errors import Error
from .place import place
from .tensors import meta_twin
from .traced import GPU, HOST, Traced

_SMALL = 1 << 20  # elements that the host may really compute: positions, schedules, images that a script makes
# Operators that take tensors of host and GPU: copies, indices, lengths.
_OF_BOTH = frozenset("copy_ _to_copy set_ index index_put index_put_ _index_put_impl_ tensor_split _pack_padded_sequence "
                     "_pad_packed_sequence ctc_loss _ctc_loss _use_cudnn_ctc_loss _cudnn_ctc_loss".split())


class Capture(TorchDispatchMode):
    """Operators on traced tensors yield traced tensors; small ones on the host alone are computed.

    recorder.record(function, args, kwargs, results) is called for each operator that runs on the GPU,
    recorder.depends(name, what, is_read) for each whose result depends on data.
    """

    def __init__(self, recorder, memory, is_strict=False):
        """is_strict: operators take no tensors of host and GPU together, as on a machine with a GPU."""
        super().__init__()
        self._is_strict = is_strict
        self._recorder = recorder
        self._memory = memory

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        leaves = tree_flatten((args, kwargs))[0]
        traced = [leaf for leaf in leaves if isinstance(leaf, Traced)]
        device = self._device(kwargs, traced)
        if not traced and device.type == "cpu" and not self._is_large(function, args, kwargs, leaves):
            return function(*args, **kwargs)
        name = versions.packet_name(function)
        if self._is_strict and device.type != "cpu" and name not in _OF_BOTH and any(map(_is_on_host, leaves)):
            raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! "
                               f"({name})")
        if device.type != "cpu" and versions.is_for_cpus_alone(function):
            raise Error(f"{function._schema.name.replace('::', '.')} ({place()}): PyTorch has it for the CPU alone; move "
                        "its input to the CPU, or replace it")
        if name in meta.READING:
            return self._read(name, args)
        results = self._run(function, args, kwargs, traced, device)
        reading.follow(function, args, results)
        if name == "_amp_foreach_non_finite_check_and_unscale_":
            args[1].assumed = 0  # all gradients are finite
        if meta.assumed(name, args) is not None:
            self._recorder.depends(*meta.assumed(name, args))
        if device.type != "cpu":
            self._recorder.record(function, args, kwargs, results)
        return results

    @staticmethod
    def _device(kwargs, traced):
        wanted = kwargs.get("device")
        is_like_traced = traced and wanted is not None and wanted.type == "meta"  # what C++ says of a traced tensor's place
        if wanted is not None and not is_like_traced:
            return HOST if wanted.type == "cpu" else GPU
        return GPU if any(one.is_cuda for one in traced) else HOST

    @staticmethod
    def _is_large(function, args, kwargs, leaves):
        if any(isinstance(leaf, torch.Tensor) for leaf in leaves):
            return False  # what comes of real tensors is real
        if "device" not in kwargs and not any(a.name == "device" for a in function._schema.arguments):
            return False
        try:
            shape = function(*args, **{**kwargs, "device": torch.device("meta"), "pin_memory": False})
        except (NotImplementedError, RuntimeError, TypeError):
            return False
        return isinstance(shape, torch.Tensor) and shape.numel() > _SMALL

    def _read(self, name, args):
        self._recorder.depends(*meta.assumed(name, args), is_read=True)
        if name == "equal":
            return True
        value = reading.number(args[0])
        return bool(value) if name == "is_nonzero" else value

    def _run(self, function, args, kwargs, traced, device):
        known = {id(one.elements): one for one in traced}

        def bare(value):
            if isinstance(value, Traced):
                return value.elements
            if isinstance(value, torch.Tensor) and value.dim() > 0:
                twin = meta_twin(value)
                known[id(twin)] = value
                twins.append(twin)  # ids are of what lives
                return twin
            return value

        twins = []
        if "device" in kwargs:
            kwargs["device"] = torch.device("meta")
        if kwargs.get("pin_memory"):
            kwargs["pin_memory"] = False
        results = meta.run(function, tree_map(bare, args), tree_map(bare, kwargs))

        def wrap(value):
            if not isinstance(value, torch.Tensor):
                return value
            if value.layout != torch.strided:
                raise Error(f"{function._schema.name.replace('::', '.')} ({place()}): makes a sparse tensor, whose size "
                            "depends on data; make it dense (of an Embedding: sparse=False)")
            same = known.get(id(value))
            return same if same is not None else Traced(value, device, self._memory)

        if function._schema.is_mutable and not function._schema.returns:
            return None
        return tree_map(wrap, results)


def _is_on_host(value):
    """Whether it is a tensor that a kernel of the GPU cannot read; one number is handed over."""
    return isinstance(value, torch.Tensor) and value.dim() > 0 and value.device.type == "cpu"
