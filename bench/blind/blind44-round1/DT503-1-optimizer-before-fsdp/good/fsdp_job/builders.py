import functools

import torch
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, MixedPrecision
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy


class Layer(nn.TransformerEncoderLayer):
    pass


class Encoder(nn.Module):
    def __init__(self, dim, depth, vocab):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(Layer(dim, 4, 4 * dim, batch_first=True) for _ in range(depth))
        self.out = nn.Linear(dim, vocab)

    def forward(self, x):
        h = self.emb(x)
        for layer in self.layers:
            h = layer(h)
        return self.out(h)


def decay_groups(model, weight_decay):
    decay, rest = [], []
    for p in model.parameters():
        (decay if p.dim() > 1 else rest).append(p)
    return [{"params": decay, "weight_decay": weight_decay}, {"params": rest, "weight_decay": 0.0}]


def build_optimizer(model, lr, weight_decay=0.1):
    return torch.optim.AdamW(decay_groups(model, weight_decay), lr=lr, betas=(0.9, 0.95))


def shard(model, device):
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Layer})
    mp = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    return FSDP(model, auto_wrap_policy=policy, mixed_precision=mp, device_id=device, use_orig_params=True)
