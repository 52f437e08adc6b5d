"""What each operator of PyTorch is to Rooftile: one table.

A row takes (arguments, results) and yields calls. A gradient has the kind and the tensors of the operator that it is of,
and a pass. Whatever has no row is predicted from the tensors that it reads and writes.
"""

import math

import torch
from torch.utils._pytree import tree_flatten

from . import versions
from .calls import Call, Operand, operand


class Unmapped(Exception):
    """The row does not fit these arguments."""


def _is_tensor(value):
    return isinstance(value, torch.Tensor)


def _call(op, inputs, outputs, passing="fwd", general=False, **attributes):
    return Call(op, tuple(sorted((key, value if not isinstance(value, list) else tuple(value))
                                 for key, value in attributes.items())),
                tuple(operand(tensor, op=op) for tensor in inputs if _is_tensor(tensor)),
                tuple(operand(tensor, True, op) for tensor in outputs if _is_tensor(tensor)), passing, general)


# --- convolutions and products -------------------------------------------------------------------------------------


def _geometry(weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    rank = weight.dim() - 2

    def each(value):
        value = list(value)
        return tuple(value * rank if len(value) == 1 else value)

    attributes = {"filter": tuple(weight.shape[2:]), "stride": each(stride), "pad": each(padding),
                  "dilation": each(dilation), "groups": groups, "bias": bias}
    attributes["out_channels"] = weight.shape[1] * groups if transposed else weight.shape[0]
    if transposed:
        attributes.update(transposed=True, output_padding=each(output_padding))
    return attributes


def _convolution(args, results):
    data, weight, bias, *rest = args[:9]
    yield _call("conv", [data, weight], [results], **_geometry(weight, False, *rest))
    # Libraries are called without the bias, which is then added in place. PyTorch's own depthwise kernel takes it.
    groups = rest[-1]
    own = groups > 1 and groups == data.shape[1] and data.is_contiguous()
    if bias is not None and not own:
        yield _call("elementwise", [results, bias], [results], function="bias")


def _convolution_backward(args, results):
    gradient, data, weight, bias_sizes, *rest = args
    mask = rest.pop()
    geometry = _geometry(weight, False, *rest)
    if mask[0]:
        yield _call("conv", [data, weight], [gradient], "bwd_data", **geometry)
    if mask[1]:
        yield _call("conv", [data, weight], [gradient], "bwd_weight", **geometry)
    if mask[2]:
        yield _call("reduce", [gradient], [results[2]], function="sum")


def _transposed(matrix):
    return bool(matrix.stride(-1) != 1 and matrix.stride(-2) == 1 and matrix.shape[-1] > 1 and matrix.shape[-2] > 1)


def _product(a, b, result, bias=False):
    batch = a.shape[0] if a.dim() == 3 else 1
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    if not (batch and m and n and k):
        raise Unmapped
    return _call("gemm", [a, b], [result], batch=batch, m=m, n=n, k=k, trans_a=_transposed(a), trans_b=_transposed(b),
                 bias=bias)


def _mm(args, results):
    yield _product(args[0], args[1], results)


def _addmm(args, results):
    yield _product(args[1], args[2], results, bias=True)


def _mv(args, results):
    """A matrix and a vector, the last two arguments."""
    matrix, vector = (operand(tensor, op="gemm") for tensor in args[-2:])
    m, k = matrix.shape
    attributes = {"batch": 1, "m": m, "n": 1, "k": k, "trans_a": _transposed(args[-2]), "trans_b": False, "bias": len(args) > 2}
    yield Call("gemm", tuple(sorted(attributes.items())), (matrix, Operand((k, 1), vector.dtype, vector.constant)),
               (Operand((m, 1), matrix.dtype),))


def _addmv(args, results):
    yield from _mv(args[:3], results)


def _addbmm(args, results):
    """A product for each pair of matrices, one after the other (ATen/native/LinearAlgebra.cpp, addbmm_impl_)."""
    batch, m, k = args[1].shape
    for _ in range(batch):
        yield gemm(1, m, args[2].shape[2], k, operand(args[1]).dtype, bias=True)


def _dot(args, results):
    yield _call("reduce", args[:2], [results], function="sum")


# --- normalisation, pooling, softmax ---------------------------------------------------------------------------------


def _norm(function, weights):
    def row(args, results):
        data = args[0]
        yield _call("normalize", [data, *(args[i] for i in weights)], [results[0]], function=function)

    return row


def _norm_backward(function, data, weight):
    def row(args, results):
        scale = args[weight] if _is_tensor(args[weight]) else None
        yield _call("normalize", [args[data], scale, scale], [args[data]], "bwd_data", function=function)

    return row


def _pool(function, data=0, gradient=None):
    def row(args, results):
        window = math.prod(args[data + 1]) if len(args[data + 1]) > 1 else args[data + 1][0] ** (args[data].dim() - 2)
        if gradient is None:
            result = results[0] if isinstance(results, (tuple, list)) else results
            yield _call("pool", [args[data]], [result], function=function, window=window)
        else:
            yield _call("pool", [args[data]], [args[gradient]], "bwd_data", function=function, window=window)

    return row


def _adaptive_pool(data=0, gradient=None):
    def row(args, results):
        out = results if gradient is None else args[gradient]
        out = out[0] if isinstance(out, (tuple, list)) else out
        window = max(1, args[data].numel() // out.numel())
        yield _call("pool", [args[data]], [out], "fwd" if gradient is None else "bwd_data", function="average",
                    window=window)

    return row


def _softmax(args, results):
    yield _call("softmax", [args[0]], [results])


def _softmax_backward(args, results):
    yield _call("softmax", [args[1]], [args[1]], "bwd_data")


# --- attention -------------------------------------------------------------------------------------------------------


def attention(query, key, value, result, causal, passing="fwd"):
    """Of [batch, heads, positions, features] each."""
    batch, heads, q_len, head_dim = query.shape
    attributes = {"batch": batch, "heads": heads, "kv_heads": key.shape[1], "q_len": q_len, "kv_len": key.shape[2],
                  "head_dim": head_dim, "causal": bool(causal)}
    if value.shape[3] != head_dim:
        attributes["head_dim_v"] = value.shape[3]
    return _call("attention", [query, key, value], [result], passing, **attributes)


def _fused_attention(causal):
    def row(args, results):
        yield attention(*args[:3], results[0], args[causal] if len(args) > causal else False)

    return row


def _fused_attention_backward(causal):
    def row(args, results):
        gradient, query, key, value = args[:4]
        yield attention(query, key, value, gradient, args[causal] if len(args) > causal else False, "bwd_data")

    return row


def gemm(batch, m, n, k, dtype, bias=False, weights=False):
    return Call("gemm", tuple(sorted({"batch": batch, "m": m, "n": n, "k": k, "bias": bias, "trans_b": weights}.items())),
                (Operand((batch, m, k), dtype), Operand((n, k) if weights else (batch, k, n), dtype, weights)),
                (Operand((batch, m, n), dtype),))


def _attention_block(query, embed, heads):
    """What nn.MultiheadAttention's fast path launches (ATen/native/transformers/attention.cpp)."""
    dtype = operand(query).dtype
    batch, positions = query.shape[:2]
    rows, features = batch * positions, embed // heads
    whole = Operand((rows, 3 * embed), dtype)
    yield gemm(1, rows, 3 * embed, embed, dtype, weights=True)
    yield Call("elementwise", (("function", "add"),), (whole,), (whole,))
    if versions.HAS_FUSED_ATTENTION:
        one = torch.empty((batch, heads, positions, features), dtype=query.dtype, device="meta")
        yield attention(one, one, one, one, False)
    else:
        scores = Operand((batch * heads * positions, positions), dtype)
        yield gemm(batch * heads, positions, positions, features, dtype)
        yield Call("softmax", (), (scores,), (scores,))
        yield gemm(batch * heads, positions, features, positions, dtype)
    yield Call("move", (("function", "transpose"), ("partial", False)), (Operand((rows, embed), dtype),),
               (Operand((rows, embed), dtype),))
    yield gemm(1, rows, embed, embed, dtype, bias=True, weights=True)


def _native_attention(args, results):
    yield from _attention_block(args[0], args[3], args[4])


def _encoder_layer(args, results):
    """nn.TransformerEncoderLayer's fast path (ATen/native/transformers/transformer.cpp)."""
    data, embed, heads, gelu = args[0], args[1], args[2], args[7]
    hidden = args[13].shape[0]
    rows = data.shape[0] * data.shape[1]
    dtype = operand(data).dtype
    tokens, wide = Operand((rows, embed), dtype), Operand((rows, hidden), dtype)
    weight = Operand((embed,), dtype, True)
    norm = Call("normalize", (("function", "layer"),), (tokens, weight, weight), (tokens,))
    add = Call("elementwise", (("function", "add"),), (tokens, tokens), (tokens,))
    activation = Call("elementwise", (("function", "gelu" if gelu else "relu"),), (wide,), (wide,))
    yield from _attention_block(data, embed, heads)
    yield from (add, norm, gemm(1, rows, hidden, embed, dtype, bias=True, weights=True), activation,
                gemm(1, rows, embed, hidden, dtype, bias=True, weights=True), add, norm)


# --- what streams its tensors ----------------------------------------------------------------------------------------


def _pointwise(name):
    def row(args, results):
        tensors = [leaf for leaf in tree_flatten(args)[0] if _is_tensor(leaf)]
        outputs = [leaf for leaf in tree_flatten(results)[0] if _is_tensor(leaf)]
        yield _call("elementwise", tensors, outputs, function=name)

    return row


def _in_place(name):
    """The first argument is read and written."""

    def row(args, results):
        tensors = [leaf for leaf in tree_flatten(args)[0] if _is_tensor(leaf)]
        yield _call("elementwise", tensors, tensors[:1], function=name)

    return row


def _pointwise_backward(name, data=1):
    def row(args, results):
        yield _call("elementwise", [args[data]], [args[0]], "bwd_data", function=name)

    return row


def _reduce(function):
    def row(args, results):
        outputs = [leaf for leaf in tree_flatten(results)[0] if _is_tensor(leaf)]
        yield _call("reduce", [args[0]], outputs, function=function)

    return row


def _move(function, partial=False, only=None):
    def row(args, results):
        tensors = [leaf for leaf in tree_flatten(args)[0] if _is_tensor(leaf)]
        outputs = [leaf for leaf in tree_flatten(results)[0] if _is_tensor(leaf)]
        yield _call("move", tensors if only is None else [tensors[only]], outputs, function=function, partial=partial)

    return row


def _fill(args, results):
    outputs = [leaf for leaf in tree_flatten(results)[0] if _is_tensor(leaf)]
    yield _call("elementwise", [], outputs, function="fill")


def _copy(args, results):
    yield _call("move", [args[1]], [args[0]], function="copy" if args[0].dtype == args[1].dtype else "cast")


def _dropout(args, results):
    yield _call("view", [args[0]], [results[0]], function="dropout")


def _dropout_backward(args, results):
    yield _call("view", [args[0]], [args[0]], "bwd_data", function="dropout")


def _nll(args, results):
    if args[1].dtype not in (torch.int64, torch.uint8):  # which kernels without data do not look at
        raise RuntimeError(f"nll_loss takes classes as int64 or uint8, not {args[1].dtype}".replace("torch.", ""))
    scores, target = operand(args[0]), operand(args[1])
    losses = Operand(target.shape, scores.dtype)
    yield Call("move", (("function", "gather"), ("partial", True)), (scores, target), (losses,))
    yield Call("reduce", (("function", "mean"),), (losses,), (operand(results[0], written=True),))


def _nll_backward(args, results):
    yield _call("elementwise", [args[2]], [results], function="fill")  # zeros, and one number of each row


def _part_backward(args, results):
    """Zeros, and the gradient in its place."""
    yield _call("elementwise", [], [results], function="fill")
    yield _call("move", [args[0]], [args[0]], function="copy")


def _scatter(args, results):
    """Writes what comes in to some places; out of place, all of the first argument is copied first."""
    tensors = [leaf for leaf in tree_flatten(args[1:])[0] if _is_tensor(leaf)]
    yield _call("elementwise", tensors, tensors[-1:], function="scatter")


def _scattered_copy(args, results):
    yield _call("move", [args[0]], [results], function="copy")
    yield from _scatter(args, results)


def _embedding_backward(args, results):
    yield _call("elementwise", [], [results], function="fill")
    yield _call("elementwise", [args[0], args[1]], [args[0]], function="scatter")


def _lists(name, lists_read):
    """A foreach operator: lists of tensors, in one kernel for about as many as fit its arguments."""

    def row(args, results):
        lists = [value for value in args if isinstance(value, (list, tuple)) and value and _is_tensor(value[0])]
        for part in _parts(lists):
            yield Call("elementwise", (("function", name),), tuple(_flat(tensors) for tensors in part[:lists_read]),
                       (_flat(part[0]),))

    return row


# Tensors of a launch by the number of lists (ATen/native/cuda/MultiTensorApply.cuh, depth_to_max_tensors).
_TENSORS = {1: 110, 2: 64, 3: 48, 4: 36, 5: 30}


def _parts(lists):
    most = _TENSORS[min(len(lists), 5)]
    for start in range(0, len(lists[0]), most):
        yield [tensors[start:start + most] for tensors in lists]


def _flat(tensors):
    return Operand((max(1, sum(tensor.numel() for tensor in tensors)),), operand(tensors[0]).dtype)


def _fused_optimizer(args, results):
    lists = [value for value in args[:4] if isinstance(value, (list, tuple)) and value]
    for part in _parts(lists):
        read = tuple(_flat(tensors) for tensors in part)
        yield Call("elementwise", (("flops_per_element", 12), ("function", "adam")), read, (read[0], *read[2:]))


_ROWS = {
    "convolution": _convolution,
    "_convolution": _convolution,
    "cudnn_convolution": _convolution,
    "convolution_backward": _convolution_backward,
    "mm": _mm,
    "bmm": _mm,
    "addmm": _addmm,
    "baddbmm": _addmm,
    "mv": _mv,
    "addmv": _addmv,
    "addbmm": _addbmm,
    "dot": _dot,
    "vdot": _dot,
    "native_batch_norm": _norm("batch", (1, 2, 3, 4)),
    "cudnn_batch_norm": _norm("batch", (1, 2, 3, 4)),
    "_native_batch_norm_legit": _norm("batch", (1, 2, 3, 4)),
    "native_batch_norm_backward": _norm_backward("batch", 1, 2),
    "cudnn_batch_norm_backward": _norm_backward("batch", 0, 2),
    "native_layer_norm": _norm("layer", (2, 3)),
    "native_layer_norm_backward": _norm_backward("layer", 1, 5),
    "native_group_norm": _norm("group", (1, 2)),
    "native_group_norm_backward": _norm_backward("group", 1, 4),
    "max_pool2d_with_indices": _pool("max"),
    "max_pool3d_with_indices": _pool("max"),
    "max_pool2d_with_indices_backward": _pool("max", 1, 0),
    "max_pool3d_with_indices_backward": _pool("max", 1, 0),
    "avg_pool2d": _pool("average"),
    "avg_pool3d": _pool("average"),
    "avg_pool2d_backward": _pool("average", 1, 0),
    "avg_pool3d_backward": _pool("average", 1, 0),
    "_adaptive_avg_pool2d": _adaptive_pool(),
    "_adaptive_avg_pool3d": _adaptive_pool(),
    "_adaptive_avg_pool2d_backward": _adaptive_pool(1, 0),
    "_adaptive_avg_pool3d_backward": _adaptive_pool(1, 0),
    "_softmax": _softmax,
    "_log_softmax": _softmax,
    "_softmax_backward_data": _softmax_backward,
    "_log_softmax_backward_data": _softmax_backward,
    "_scaled_dot_product_flash_attention": _fused_attention(4),
    "_scaled_dot_product_efficient_attention": _fused_attention(6),
    "_scaled_dot_product_cudnn_attention": _fused_attention(6),
    "_scaled_dot_product_flash_attention_backward": _fused_attention_backward(11),
    "_scaled_dot_product_efficient_attention_backward": _fused_attention_backward(11),
    "_native_multi_head_attention": _native_attention,
    "_transformer_encoder_layer_fwd": _encoder_layer,
    "native_dropout": _dropout,
    "native_dropout_backward": _dropout_backward,
    "nll_loss_forward": _nll,
    "nll_loss2d_forward": _nll,
    "nll_loss_backward": _nll_backward,
    "nll_loss2d_backward": _nll_backward,
    "embedding": _move("gather", partial=True),
    "index_select": _move("gather", partial=True),
    "gather": _move("gather", partial=True),
    "index": _move("gather", partial=True),
    "embedding_dense_backward": _embedding_backward,
    "_to_copy": _move("cast"),
    "clone": _move("copy"),
    "copy_": _copy,
    "cat": _move("concat"),
    "_cat": _move("concat"),
    "stack": _move("concat"),
    "roll": _move("roll"),
    "constant_pad_nd": _move("pad"),
    "upsample_nearest2d": _move("resize"),
    "select_backward": _part_backward,
    "slice_backward": _part_backward,
    "unfold_backward": _part_backward,
    "diagonal_backward": _part_backward,
    "index_put": _scattered_copy,
    "scatter": _scattered_copy,
    "scatter_add": _scattered_copy,
    "index_add": _scattered_copy,
    "index_put_": _scatter,
    "_index_put_impl_": _scatter,
    "scatter_": _scatter,
    "scatter_add_": _scatter,
    "index_add_": _scatter,
    "_fused_adam_": _fused_optimizer,
    "_fused_adamw_": _fused_optimizer,
    "_fused_sgd_": _fused_optimizer,
}
for _name in "zero_ fill_ zeros ones full zeros_like ones_like full_like new_zeros new_full normal_ uniform_ bernoulli_ " \
             "arange randn rand".split():
    _ROWS[_name] = _fill
for _name in "sum mean amax amin max min argmax argmin var var_mean std prod norm linalg_vector_norm logsumexp any all " \
             "cumsum".split():
    _ROWS[_name] = _reduce(_name)
for _name in ("add sub rsub mul div neg abs exp log log1p expm1 sqrt rsqrt reciprocal pow square sin cos tan erf sigmoid tanh "
              "relu leaky_relu elu gelu silu mish hardtanh hardswish hardsigmoid softplus log_sigmoid_forward clamp "
              "clamp_min clamp_max maximum minimum where masked_fill eq ne lt le gt ge logical_not logical_and logical_or "
              "bitwise_not bitwise_and bitwise_or floor ceil round sign addcmul addcdiv lerp tril triu sigmoid_backward "
              "tanh_backward mse_loss mse_loss_backward smooth_l1_loss smooth_l1_loss_backward l1_loss "
              "binary_cross_entropy binary_cross_entropy_backward binary_cross_entropy_with_logits huber_loss "
              "huber_loss_backward bernoulli floor_divide remainder fmod isnan isinf isfinite atan2").split():
    _ROWS[_name] = _pointwise(_name)
    _ROWS[_name + "_"] = _in_place(_name)
for _name, _forward in {"threshold_backward": "relu", "gelu_backward": "gelu", "silu_backward": "silu",
                        "leaky_relu_backward": "leaky_relu", "hardtanh_backward": "hardtanh",
                        "hardswish_backward": "hardswish", "hardsigmoid_backward": "hardsigmoid",
                        "elu_backward": "elu", "mish_backward": "mish", "softplus_backward": "softplus",
                        "log_sigmoid_backward": "log_sigmoid"}.items():
    _ROWS[_name] = _pointwise_backward(_forward)
for _name, _read in {"add": 2, "mul": 1, "div": 1, "sub": 2, "neg": 1, "sqrt": 1, "addcmul": 3, "addcdiv": 3, "lerp": 2,
                     "zero": 0, "reciprocal": 1, "exp": 1, "pow": 1, "norm": 1, "maximum": 2}.items():
    _ROWS[f"_foreach_{_name}"] = _ROWS[f"_foreach_{_name}_"] = _lists(_name, _read)

# Nothing runs on the GPU for these, though their schemas do not say so.
FREE = set("""empty empty_like empty_strided new_empty new_empty_strided detach detach_ alias lift lift_fresh _unsafe_view as_strided_
unsqueeze_ squeeze_ transpose_ t_ unsafe_split unsafe_split_with_sizes unsafe_chunk
view _reshape_alias reshape set_ resize_ requires_grad_ is_same_size _has_compatible_shallow_copy_type record_stream
sym_size sym_stride sym_numel sym_storage_offset scalar_tensor""".split())


def is_free(function):
    """Whether an operator only renames memory."""
    if versions.packet_name(function) in FREE or versions.namespace(function) in ("prim", "profiler"):
        return True
    returns = function._schema.returns
    alias = returns[0].alias_info if returns else None
    return alias is not None and not alias.is_write


def calls_of(function, args, kwargs, results):
    """What the operator launches."""
    name = versions.packet_name(function)
    source = f"{versions.namespace(function)}.{name}"
    row = _ROWS.get(name) if versions.namespace(function) == "aten" else None
    calls = None
    if row is not None:
        try:
            calls = list(row(_positional(function, args, kwargs), results))
        except (Unmapped, IndexError, TypeError, AttributeError):
            calls = None
    if calls is None:
        calls = [_general(name, args, kwargs, results)]
    return [Call(call.op, call.attributes, call.inputs, call.outputs, call.passing, call.general, source)
            for call in calls if _runs(call)]


def _runs(call):
    return bool(call.outputs) and all(0 not in tensor.shape for tensor in call.inputs + call.outputs)


def _positional(function, args, kwargs):
    """Every argument by its place, those left out by their defaults."""
    values = list(args)
    for argument in function._schema.arguments[len(args):]:
        values.append(kwargs.get(argument.name, argument.default_value))
    return values


def _general(name, args, kwargs, results):
    tensors = [leaf for leaf in tree_flatten((args, kwargs))[0] if _is_tensor(leaf)]
    outputs = [leaf for leaf in tree_flatten(results)[0] if _is_tensor(leaf) and leaf.numel()]  # some are left out on demand
    return _call("elementwise", tensors, outputs or tensors[:1], general=True, function=name)
