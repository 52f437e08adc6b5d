"""The memory of training steps against what torch.cuda.max_memory_allocated() was for others.

Hugging Face's Trainer writes it: init_mem_gpu_alloc_delta, train_mem_gpu_alloc_delta and train_mem_gpu_peaked_delta of a
run's train_results.json add up to it. Memory that PyTorch allocates does not depend on the GPU. The limit, 10 %, leaves
room for workspaces and for what differs between releases of PyTorch and of the models.
"""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing is captured")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

import rooftile  # noqa: E402


# These runs are of early 2021; releases of PyTorch before 1.11 keep the inputs of softmax for the backward pass
# (github.com/pytorch/pytorch/issues/64000, pull/65242).
def keeping_its_input(forward, backward):
    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = forward(x, -1, False)
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, gradient):
            _, y = ctx.saved_tensors
            return backward(gradient, y, -1, y.dtype)

    return Function.apply


softmax = keeping_its_input(torch._softmax, torch._softmax_backward_data)
log_softmax = keeping_its_input(torch._log_softmax, torch._log_softmax_backward_data)


def cross_entropy(scores, targets):
    return F.nll_loss(log_softmax(scores), targets)


# --- BERT-large for questions, as transformers 4 writes it ------------------------------------------------------------


class BertLayer(nn.Module):
    def __init__(self, size, heads, hidden):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)
        self.dense, self.norm = nn.Linear(size, size), nn.LayerNorm(size)
        self.intermediate, self.output = nn.Linear(size, hidden), nn.Linear(hidden, size)
        self.output_norm, self.dropout = nn.LayerNorm(size), nn.Dropout(0.1)

    def split(self, x):
        return x.view(*x.shape[:2], self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1]) + mask
        context = torch.matmul(self.dropout(softmax(scores)), v).permute(0, 2, 1, 3).contiguous()
        x = self.norm(self.dropout(self.dense(context.view(x.shape))) + x)
        return self.output_norm(self.dropout(self.output(F.gelu(self.intermediate(x)))) + x)


class BertForQuestions(nn.Module):
    def __init__(self, size=1024, layers=24, heads=16, hidden=4096):
        super().__init__()
        self.words, self.positions, self.types = (nn.Embedding(count, size) for count in (30522, 512, 2))
        self.norm, self.dropout = nn.LayerNorm(size), nn.Dropout(0.1)
        self.layers = nn.ModuleList(BertLayer(size, heads, hidden) for _ in range(layers))
        self.answers = nn.Linear(size, 2)

    def forward(self, tokens, mask, types, start, end):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.dropout(self.norm(self.words(tokens) + self.positions(places) + self.types(types)))
        mask = (1.0 - mask[:, None, None, :].float()) * -10000.0
        for layer in self.layers:
            x = layer(x, mask)
        starts, ends = self.answers(x).unbind(-1)
        return (cross_entropy(starts, start) + cross_entropy(ends, end)) / 2


# --- GPT-2, as transformers 4 writes it -------------------------------------------------------------------------------


class GPTBlock(nn.Module):
    def __init__(self, size, heads, positions):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2, self.dropout = nn.LayerNorm(size), nn.LayerNorm(size), nn.Dropout(0.1)
        self.c_attn, self.c_proj = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.c_fc, self.c_out = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
        self.register_buffer("bias", torch.ones(1, 1, positions, positions, dtype=torch.uint8))
        self.register_buffer("masked", torch.tensor(-1e4))

    def attend(self, x):
        batch, length, size = x.shape
        q, k, v = (one.view(batch, length, self.heads, -1) for one in self.c_attn(x).split(size, dim=2))
        scores = torch.matmul(q.permute(0, 2, 1, 3), k.permute(0, 2, 3, 1)) / math.sqrt(q.shape[-1])
        scores = torch.where(self.bias[:, :, :length, :length].bool(), scores, self.masked)
        y = torch.matmul(self.dropout(softmax(scores)), v.permute(0, 2, 1, 3))
        return self.dropout(self.c_proj(y.permute(0, 2, 1, 3).contiguous().view(x.shape)))

    def forward(self, x):
        x = x + self.attend(self.ln_1(x))
        y = self.c_fc(self.ln_2(x))
        y = 0.5 * y * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (y + 0.044715 * torch.pow(y, 3.0))))
        return x + self.dropout(self.c_out(y))


class GPT2(nn.Module):
    def __init__(self, size=768, layers=12, heads=12, positions=1024, vocabulary=50257):
        super().__init__()
        self.wte, self.wpe, self.dropout = nn.Embedding(vocabulary, size), nn.Embedding(positions, size), nn.Dropout(0.1)
        self.blocks = nn.ModuleList(GPTBlock(size, heads, positions) for _ in range(layers))
        self.ln_f, self.lm_head = nn.LayerNorm(size), nn.Linear(size, vocabulary, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, tokens, labels):
        x = self.dropout(self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device)))
        for block in self.blocks:
            x = block(x)
        scores = self.lm_head(self.ln_f(x))[..., :-1, :].contiguous()
        return cross_entropy(scores.view(-1, scores.shape[-1]), labels[..., 1:].contiguous().view(-1))


def integers(*shape):
    return torch.zeros(*shape, dtype=torch.int64, device="meta")


# huggingface.co/Centaur31/mybert (run.sh: run_qa.py, 12 samples, 384 tokens, FP32), and huggingface.co/empushy/
# gpt2-emulator, whose 577 samples took 867 steps in three epochs: 2 samples a step, of the 1,024 tokens of run_clm.py.
@pytest.mark.parametrize("make, inputs, measured", [
    (BertForQuestions, [(12, 384)] * 3 + [(12,)] * 2, 1_337_192_960 + 4_029_973_504 + 16_453_983_232),
    (GPT2, [(2, 1024)] * 2, 511_148_032 + 1_500_642_816 + 7_988_768_768),
])
def test_memory_is_what_others_measured(make, inputs, measured):
    with rooftile.without_data():
        network = make()
    optimizer = torch.optim.AdamW(network.parameters())

    def train(*batch):
        network(*batch).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        network.zero_grad(set_to_none=False)  # as PyTorch did before 2.0

    step = rooftile.capture(train, tuple(integers(*shape) for shape in inputs))
    assert rooftile.predict(step, gpu="a100-sxm4-80gb").memory["total"] == pytest.approx(measured, rel=0.1)
