"""Networks in the styles that people write them in, made after their papers, small unless told otherwise."""

import math

import torch
from torch import nn
from torch.nn import functional as F


# --- Llama (Touvron et al., arXiv:2302.13971, arXiv:2307.09288) ------------------------------------------------------


class RMSNorm(nn.Module):
    """x / rms(x) * weight (Zhang and Sennrich, arXiv:1910.07467)."""

    def __init__(self, size, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)).type_as(x) * self.weight


def rotary(positions, size, device):
    """cos and sin of the rotary position embedding (Su et al., arXiv:2104.09864)."""
    frequencies = 1.0 / (10000 ** (torch.arange(0, size, 2, device=device).float() / size))
    angles = torch.outer(torch.arange(positions, device=device).float(), frequencies)
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


def rotate(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


class LlamaAttention(nn.Module):
    def __init__(self, size, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads, self.head = heads, kv_heads, size // heads
        self.q = nn.Linear(size, heads * self.head, bias=False)
        self.k = nn.Linear(size, kv_heads * self.head, bias=False)
        self.v = nn.Linear(size, kv_heads * self.head, bias=False)
        self.o = nn.Linear(heads * self.head, size, bias=False)

    def forward(self, x, cos, sin, cache=None):
        batch, length, _ = x.shape
        q = self.q(x).view(batch, length, self.heads, self.head).transpose(1, 2)
        k = self.k(x).view(batch, length, self.kv_heads, self.head).transpose(1, 2)
        v = self.v(x).view(batch, length, self.kv_heads, self.head).transpose(1, 2)
        q, k = rotate(q, cos, sin).type_as(x), rotate(k, cos, sin).type_as(x)
        if cache is not None:
            k, v = torch.cat((cache[0], k), dim=2), torch.cat((cache[1], v), dim=2)
        repeats = self.heads // self.kv_heads
        k = k[:, :, None].expand(-1, -1, repeats, -1, -1).reshape(batch, self.heads, -1, self.head)
        v = v[:, :, None].expand(-1, -1, repeats, -1, -1).reshape(batch, self.heads, -1, self.head)
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(q, k, v, is_causal=cache is None)
        else:
            scores = q @ k.transpose(-2, -1) / math.sqrt(self.head)
            if cache is None:
                mask = torch.full((length, length), float("-inf"), device=x.device, dtype=x.dtype).triu(1)
                scores = scores + mask
            y = scores.softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(batch, length, -1))


class LlamaBlock(nn.Module):
    def __init__(self, size, heads, kv_heads, hidden):
        super().__init__()
        self.attention_norm, self.attention = RMSNorm(size), LlamaAttention(size, heads, kv_heads)
        self.mlp_norm = RMSNorm(size)
        self.gate, self.up = nn.Linear(size, hidden, bias=False), nn.Linear(size, hidden, bias=False)
        self.down = nn.Linear(hidden, size, bias=False)

    def forward(self, x, cos, sin, cache=None):
        x = x + self.attention(self.attention_norm(x), cos, sin, cache)
        y = self.mlp_norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    """With a cache of earlier positions it decodes one more."""

    def __init__(self, size=256, layers=2, heads=4, kv_heads=2, hidden=512, vocabulary=1000):
        super().__init__()
        self.head = size // heads
        self.embedding = nn.Embedding(vocabulary, size)
        self.blocks = nn.ModuleList(LlamaBlock(size, heads, kv_heads, hidden) for _ in range(layers))
        self.norm = RMSNorm(size)
        self.output = nn.Linear(size, vocabulary, bias=False)

    def forward(self, tokens, caches=None):
        x = self.embedding(tokens)
        before = 0 if caches is None else caches[0][0].shape[2]
        cos, sin = rotary(before + tokens.shape[1], self.head, tokens.device)
        cos, sin = cos[before:], sin[before:]
        for i, block in enumerate(self.blocks):
            x = block(x, cos, sin, None if caches is None else caches[i])
        return self.output(self.norm(x))


# --- GPT-2, as nanoGPT writes it (Radford et al. 2019) ---------------------------------------------------------------


class GPTBlock(nn.Module):
    def __init__(self, size, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.ln_1, self.ln_2 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.c_attn, self.c_proj = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.c_fc, self.c_out = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
        self.resid = nn.Dropout(dropout)

    def attend(self, x):
        batch, length, size = x.shape
        q, k, v = (one.view(batch, length, self.heads, -1).transpose(1, 2) for one in self.c_attn(x).split(size, dim=2))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.shape[-1])
        mask = torch.tril(torch.ones(length, length, device=x.device))
        weights = F.dropout(scores.masked_fill(mask == 0, float("-inf")).softmax(-1), self.dropout, self.training)
        return self.resid(self.c_proj((weights @ v).transpose(1, 2).reshape(batch, length, size)))

    def forward(self, x):
        x = x + self.attend(self.ln_1(x))
        return x + self.resid(self.c_out(F.gelu(self.c_fc(self.ln_2(x)))))


class GPT(nn.Module):
    """Returns (logits, loss), with a weight shared by embedding and output."""

    def __init__(self, size=256, layers=2, heads=4, positions=128, vocabulary=1000, dropout=0.1):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, size), nn.Embedding(positions, size)
        self.blocks = nn.ModuleList(GPTBlock(size, heads, dropout) for _ in range(layers))
        self.ln_f = nn.LayerNorm(size)
        self.lm_head = nn.Linear(size, vocabulary, bias=False)
        self.lm_head.weight = self.wte.weight
        self.drop = nn.Dropout(dropout)

    def forward(self, tokens, targets=None):
        x = self.drop(self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device)))
        for block in self.blocks:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1))


# --- BERT (Devlin et al., arXiv:1810.04805) --------------------------------------------------------------------------


class BertLayer(nn.Module):
    def __init__(self, size, heads, hidden, dropout):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)
        self.dense, self.norm = nn.Linear(size, size), nn.LayerNorm(size, eps=1e-12)
        self.intermediate, self.output = nn.Linear(size, hidden), nn.Linear(hidden, size)
        self.output_norm = nn.LayerNorm(size, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        return x.view(*x.shape[:2], self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
        weights = self.dropout((scores + mask).softmax(-1))
        context = torch.matmul(weights, v).permute(0, 2, 1, 3).contiguous()
        x = self.norm(self.dropout(self.dense(context.view(x.shape))) + x)
        return self.output_norm(self.dropout(self.output(F.gelu(self.intermediate(x)))) + x)


class Bert(nn.Module):
    """With the head of masked language modelling."""

    def __init__(self, size=768, layers=12, heads=12, hidden=3072, vocabulary=30522, positions=512, dropout=0.1):
        super().__init__()
        self.words, self.positions = nn.Embedding(vocabulary, size, padding_idx=0), nn.Embedding(positions, size)
        self.types = nn.Embedding(2, size)
        self.norm, self.dropout = nn.LayerNorm(size, eps=1e-12), nn.Dropout(dropout)
        self.layers = nn.ModuleList(BertLayer(size, heads, hidden, dropout) for _ in range(layers))
        self.transform, self.transform_norm = nn.Linear(size, size), nn.LayerNorm(size, eps=1e-12)
        self.decoder = nn.Linear(size, vocabulary)
        self.decoder.weight = self.words.weight

    def forward(self, tokens, mask=None):
        batch, length = tokens.shape
        places = torch.arange(length, device=tokens.device).expand(batch, length)
        x = self.words(tokens) + self.types(torch.zeros_like(tokens)) + self.positions(places)
        x = self.dropout(self.norm(x))
        mask = torch.ones(batch, length, device=tokens.device) if mask is None else mask
        mask = (1.0 - mask[:, None, None, :]) * torch.finfo(torch.float32).min
        for layer in self.layers:
            x = layer(x, mask)
        return self.decoder(self.transform_norm(F.gelu(self.transform(x))))


# --- a denoiser of diffusion models (Ho et al., arXiv:2006.11239) ----------------------------------------------------


class ResidualBlock(nn.Module):
    def __init__(self, into, out, embedding):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(8, into), nn.Conv2d(into, out, 3, padding=1)
        self.time = nn.Linear(embedding, out)
        self.norm2, self.conv2 = nn.GroupNorm(8, out), nn.Conv2d(out, out, 3, padding=1)
        self.skip = nn.Conv2d(into, out, 1) if into != out else nn.Identity()

    def forward(self, x, time):
        y = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(time))[:, :, None, None]
        return self.skip(x) + self.conv2(F.silu(self.norm2(y)))


class UNet(nn.Module):
    def __init__(self, channels=32, embedding=128):
        super().__init__()
        self.channels = channels
        self.time = nn.Sequential(nn.Linear(channels, embedding), nn.SiLU(), nn.Linear(embedding, embedding))
        self.enter = nn.Conv2d(3, channels, 3, padding=1)
        self.down1 = ResidualBlock(channels, channels, embedding)
        self.shrink = nn.Conv2d(channels, channels, 3, stride=2, padding=1)
        self.down2 = ResidualBlock(channels, 2 * channels, embedding)
        self.attention = nn.MultiheadAttention(2 * channels, 4, batch_first=True)
        self.grow = nn.ConvTranspose2d(2 * channels, channels, 4, stride=2, padding=1)
        self.up = ResidualBlock(2 * channels, channels, embedding)
        self.leave = nn.Conv2d(channels, 3, 3, padding=1)

    def forward(self, x, steps):
        frequencies = torch.exp(-math.log(10000) * torch.arange(self.channels // 2, device=x.device) /
                                (self.channels // 2))
        angles = steps[:, None].float() * frequencies[None]
        time = self.time(torch.cat((angles.sin(), angles.cos()), dim=1))
        first = self.down1(self.enter(x), time)
        y = self.down2(self.shrink(first), time)
        tokens = y.flatten(2).transpose(1, 2)
        y = y + self.attention(tokens, tokens, tokens, need_weights=False)[0].transpose(1, 2).view(y.shape)
        return self.leave(self.up(torch.cat((self.grow(y), first), dim=1), time))


# --- DCGAN (Radford et al., arXiv:1511.06434) and DQN (Mnih et al. 2015) ---------------------------------------------


def generator(noise=100, features=64):
    layers = [nn.ConvTranspose2d(noise, 8 * features, 4, bias=False), nn.BatchNorm2d(8 * features), nn.ReLU(True)]
    for scale in (8, 4, 2):
        layers += [nn.ConvTranspose2d(scale * features, scale * features // 2, 4, 2, 1, bias=False),
                   nn.BatchNorm2d(scale * features // 2), nn.ReLU(True)]
    return nn.Sequential(*layers, nn.ConvTranspose2d(features, 3, 4, 2, 1, bias=False), nn.Tanh())


def discriminator(features=64):
    layers = [nn.Conv2d(3, features, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, True)]
    for scale in (1, 2, 4):
        layers += [nn.Conv2d(scale * features, 2 * scale * features, 4, 2, 1, bias=False),
                   nn.BatchNorm2d(2 * scale * features), nn.LeakyReLU(0.2, True)]
    return nn.Sequential(*layers, nn.Conv2d(8 * features, 1, 4, bias=False), nn.Sigmoid(), nn.Flatten(0))


def dqn(actions=6):
    return nn.Sequential(nn.Conv2d(4, 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU(), nn.Conv2d(64, 64, 3),
                         nn.ReLU(), nn.Flatten(), nn.Linear(3136, 512), nn.ReLU(), nn.Linear(512, actions))
