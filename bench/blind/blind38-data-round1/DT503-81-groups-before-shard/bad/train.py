"""Pre-training of a small decoder with FSDP2 (fully_shard per block)."""
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


@dataclass
class Setup:
    vocabulary: int = 32000
    width: int = 768
    heads: int = 12
    depth: int = 12
    length: int = 512
    batch: int = 16
    steps: int = 2000
    lr: float = 4e-4
    decay: float = 0.1
    seed: int = 99


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, mask):
        y = self.norm1(x)
        x = x + self.attention(y, y, y, attn_mask=mask, need_weights=False)[0]
        return x + self.feed(self.norm2(x))


class Decoder(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.embed = nn.Embedding(s.vocabulary, s.width)
        self.blocks = nn.ModuleList(Block(s.width, s.heads) for _ in range(s.depth))
        self.norm = nn.LayerNorm(s.width)
        self.head = nn.Linear(s.width, s.vocabulary, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1], device=tokens.device)
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.norm(x))


def decay_groups(model, decay):
    matrices = [p for p in model.parameters() if p.ndim >= 2]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    return [{"params": matrices, "weight_decay": decay}, {"params": vectors, "weight_decay": 0.0}]


def shard(model, mesh):
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in model.blocks:
        fully_shard(block, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)


def token_stream(s, rank, device):
    generator = torch.Generator(device=device).manual_seed(s.seed * 1000 + rank)
    while True:
        yield torch.randint(s.vocabulary, (s.batch, s.length + 1), generator=generator, device=device)


def main():
    s = Setup()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    mesh = init_device_mesh("cuda", (dist.get_world_size(),), mesh_dim_names=("dp",))

    torch.manual_seed(s.seed)
    model = Decoder(s).to(device)
    groups = decay_groups(model, s.decay)
    shard(model, mesh)
    optimizer = torch.optim.AdamW(groups, lr=s.lr, betas=(0.9, 0.95), fused=True)

    stream = token_stream(s, dist.get_rank(), device)
    for step in range(s.steps):
        tokens = next(stream)
        logits = model(tokens[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1).float(), tokens[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step % 50 == 0:
            shown = loss.detach()
            dist.all_reduce(shown, op=dist.ReduceOp.AVG)
            if dist.get_rank() == 0:
                print(step, shown.item(), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
