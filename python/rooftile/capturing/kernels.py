"""Kernels that PyTorch has on GPUs alone, in place of the many that it falls back to elsewhere.

What a traced tensor computes in is no CUDA tensor, so composite operators (dropout, recurrent layers, fused attention)
would take their slow way. These put the GPU's way in its place.
"""

import contextlib
import dataclasses
import warnings

import torch

from . import operators, versions
from .calls import Call, Operand, operand


def _dropout(tensor, probability, train):
    if not train or probability == 0:
        return tensor
    return torch.native_dropout(tensor, probability, train)[0]


def _repeat_interleave(tensor, repeats, dim=None, *, output_size=None):
    if dim is None:
        tensor, dim = tensor.flatten(), 0
    dim %= tensor.dim()
    shape = [*tensor.shape[:dim + 1], repeats, *tensor.shape[dim + 1:]]
    return tensor.unsqueeze(dim + 1).expand(shape).flatten(dim, dim + 1)


class _Operator(torch.autograd.Function):
    """An operator that Rooftile knows as one, with its gradients."""

    @staticmethod
    def forward(context, recorder, forward, backward, make, *tensors):
        results = make()
        recorder.launch(forward)
        context.recorder, context.calls, context.path, context.count = recorder, backward, recorder.path, len(tensors)
        context.save_for_backward(*tensors, *(results if isinstance(results, tuple) else (results,)))
        return results

    @staticmethod
    def backward(context, *gradients):
        context.recorder.launch(context.calls, context.path)
        tensors = context.saved_tensors[:context.count]
        return (None, None, None, None, *(torch.empty_like(one) if needed else None
                                          for one, needed in zip(tensors, context.needs_input_grad[4:])))


def _operand_of(shape, tensor, constant=False):
    return Operand(tuple(shape), operand(tensor).dtype, constant)


def _projected_lstm(batch, steps, width, hidden, projected, layers, directions, dtype):
    """The calls of an LSTM whose hidden state is projected (Sak et al., arXiv:1402.1128): forward, backward."""
    rows, gates = batch * steps, 4 * hidden
    cells = Call("elementwise", (("function", "sigmoid"),), (Operand((batch, gates), dtype),),
                 (Operand((batch, hidden), dtype),))

    def product(m, n, k, weights=True):
        return operators.gemm(1, m, n, k, dtype, weights=weights)

    forward, backward = [], []
    for layer in range(layers):
        into = width if layer == 0 else projected * directions
        for _ in range(directions):
            forward += [product(rows, gates, into),
                        *[product(batch, gates, projected), cells, product(batch, projected, hidden)] * steps]
            backward += [*[product(batch, hidden, projected), cells, product(batch, projected, gates)] * steps,
                         product(rows, into, gates), product(gates, into, rows, False),
                         product(gates, projected, rows, False), product(projected, hidden, rows, False)]
    return ([dataclasses.replace(call, source="aten._cudnn_rnn") for call in forward],
            [dataclasses.replace(call, source="aten._cudnn_rnn_backward") for call in backward])


def _recurrent(cell, recorder):
    def kernel(data, hidden, params, has_biases, num_layers, dropout, train, bidirectional, batch_first=False):
        if not isinstance(hidden, (tuple, list)):
            hidden = (hidden,)
        packed = isinstance(params, torch.Tensor)  # data, batch_sizes, hx, params, has_biases, …
        if packed:
            raise NotImplementedError("packed sequences have no fixed number of steps; pad them")
        batch, steps = (data.shape[0], data.shape[1]) if batch_first else (data.shape[1], data.shape[0])
        if versions.autocast_enabled():
            dtype = versions.autocast_dtype()
            data, hidden = data.to(dtype), tuple(one.to(dtype) for one in hidden)
        directions = 2 if bidirectional else 1
        features = hidden[0].shape[-1]
        inner = hidden[-1].shape[-1]  # of an LSTM's cells, whose hidden state may be projected to fewer
        shape = [*data.shape[:2], features * directions]
        attributes = tuple(sorted({
            "cell": cell, "batch": batch, "steps": steps, "input": data.shape[2], "hidden": inner,
            "layers": num_layers, "directions": directions}.items()))

        def call(passing, source):
            return Call(
                "recurrent", attributes, tuple(operand(one, op="recurrent") for one in (data, *params)),
                (_operand_of(shape, data),), passing, False, source)

        def make():
            return (data.new_empty(shape), *(torch.empty_like(one) for one in hidden))

        if inner != features:
            forward, backward = _projected_lstm(batch, steps, data.shape[2], inner, features, num_layers, directions,
                                                operand(data).dtype)
        else:
            forward = [call("fwd", "aten._cudnn_rnn")]
            backward = [call("bwd_data", "aten._cudnn_rnn_backward"), call("bwd_weight", "aten._cudnn_rnn_backward")]
        return _Operator.apply(recorder, forward, backward, make, data, *hidden, *params)

    return kernel


def _cell(kind, recorder):
    """A step of a recurrent layer by itself: two products, and a kernel for all gates (ATen/native/cuda/RNN.cu)."""
    gates, kept = {"lstm": (4, 4), "gru": (3, 5)}[kind]  # in hidden sizes; what is kept for the gradient

    def kernel(data, hidden, weight_in, weight_hidden, bias_in=None, bias_hidden=None):
        states = tuple(hidden) if isinstance(hidden, (tuple, list)) else (hidden,)
        products = torch.matmul(data, weight_in.t()), torch.matmul(states[0], weight_hidden.t())
        before = states[-1]
        state = operand(before)
        batch, size = before.shape
        biases = tuple(one for one in (bias_in, bias_hidden) if one is not None)
        of_gates, workspace = Operand((batch, gates * size), state.dtype), Operand((batch, kept * size), state.dtype)

        def call(op, function, inputs, outputs, passing=""):
            return Call(op, (("function", function),), inputs, outputs, source=f"aten._thnn_fused_{kind}_cell{passing}")

        results = (state,) * len(states)
        forward = call("elementwise", "sigmoid", (*map(operand, products), state, *map(operand, biases)), (*results, workspace))
        gradients = (of_gates,) * (1 if kind == "lstm" else 2)
        backward = call("elementwise", "sigmoid", (*results, *results, workspace), (*gradients, state), "_backward")
        sums = [call("reduce", "sum", (one,), (Operand((gates * size,), state.dtype),), "_backward") for one in gradients if biases]

        def make():
            made = tuple(torch.empty_like(before) for _ in states)
            return made if len(made) > 1 else made[0]

        return _Operator.apply(recorder, [forward], [backward, *sums], make, *products, before, *biases)

    return kernel


def _attention(recorder):
    def kernel(query, key, value, mask=None, dropout=0.0, causal=False, **_):
        if versions.autocast_enabled():
            dtype = versions.autocast_dtype()
            query, key, value = (one.to(dtype) if one.dtype == torch.float32 else one for one in (query, key, value))
        groups = [one.reshape(-1, *one.shape[-3:]) if one.dim() > 4 else one for one in (query, key, value)]
        if groups[0].dim() == 3:
            groups = [one.unsqueeze(1) for one in groups]
        shape = [*query.shape[:-1], value.shape[-1]]
        causal = causal or (mask is not None and query.shape[-2] == key.shape[-2] and mask.dtype == torch.bool)

        def call(passing, source):
            found = operators.attention(*groups, groups[0].new_empty([*groups[0].shape[:-1], value.shape[-1]]), causal,
                                        passing)
            return Call(found.op, found.attributes, found.inputs, found.outputs, passing, False, source)

        return _Operator.apply(
            recorder, [call("fwd", "aten.scaled_dot_product_attention")],
            [call("bwd_data", "aten.scaled_dot_product_attention_backward")], lambda: query.new_empty(shape), query, key, value)

    return kernel


# Operators that are composite wherever no kernel of the device is registered, and have one on GPUs.
_WHOLE = ("silu_backward", "mish_backward")


def _never(*_):
    raise AssertionError("a capture computes nothing")


@contextlib.contextmanager
def of_gpu(recorder):
    """While it lasts, composite operators on traced tensors run as on a GPU."""
    library = torch.library.Library("aten", "IMPL", "AutogradCUDA")
    gpu = torch.library.Library("aten", "IMPL", "CUDA")
    kernels = {"dropout": _dropout, "repeat_interleave.self_int": _repeat_interleave}
    for name, cell in {"lstm.input": "lstm", "gru.input": "gru", "rnn_tanh.input": "vanilla",
                       "rnn_relu.input": "vanilla"}.items():
        kernels[name] = _recurrent(cell, recorder)
    for kind in ("lstm", "gru"):
        kernels[f"{kind}_cell"] = _cell(kind, recorder)
    if versions.HAS_FUSED_ATTENTION:
        kernels["scaled_dot_product_attention"] = _attention(recorder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that kernels are overridden
        for name, kernel in kernels.items():
            library.impl(name, kernel)
        for name in _WHOLE:
            if not versions.has_gpu_kernel(name):
                gpu.impl(name, _never)
    try:
        yield
    finally:
        for one in (library, gpu):
            if hasattr(one, "_destroy"):
                one._destroy()
        del library, gpu, one
