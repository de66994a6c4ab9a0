"""FSDP2 with device mesh, DCP save/load and a stateful wrapper (torchtitan-like)."""
import os
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.checkpoint.stateful import Stateful
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


@dataclass
class Args:
    dim: int = 256
    layers: int = 4
    vocabulary: int = 1000
    seq: int = 128
    batch: int = 8
    steps: int = 200
    checkpoint_every: int = 50
    folder: str = field(default_factory=lambda: os.environ.get("CKPT", "ckpt"))


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        return x + self.mlp(self.norm(x))


class Transformer(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tok = nn.Embedding(args.vocabulary, args.dim)
        self.layers = nn.ModuleDict({str(i): Block(args.dim) for i in range(args.layers)})
        self.out = nn.Linear(args.dim, args.vocabulary, bias=False)

    def forward(self, tokens):
        h = self.tok(tokens)
        for layer in self.layers.values():
            h = layer(h)
        return self.out(h)

    @torch.no_grad()
    def init_weights(self):
        for p in self.parameters():
            nn.init.normal_(p, std=0.02)


class Stream(IterableDataset, Stateful):
    def __init__(self, rank, world, args):
        self.rank, self.world, self.args, self.at = rank, world, args, 0

    def __iter__(self):
        info = get_worker_info()
        workers, worker = (info.num_workers, info.id) if info else (1, 0)
        shard = self.rank * workers + worker
        while True:
            g = torch.Generator().manual_seed(self.at * self.world * workers + shard)
            self.at += 1
            tokens = torch.randint(self.args.vocabulary, (self.args.seq + 1,), generator=g)
            yield tokens[:-1], tokens[1:]

    def state_dict(self):
        return {"at": self.at}

    def load_state_dict(self, state):
        self.at = state["at"]


class TrainState(Stateful):
    def __init__(self, model, optimizer):
        self.model, self.optimizer, self.step = model, optimizer, 0

    def state_dict(self):
        model, optimizer = get_state_dict(self.model, self.optimizer)
        return {"model": model, "optimizer": optimizer, "step": self.step}

    def load_state_dict(self, state):
        set_state_dict(self.model, self.optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
        self.step = state["step"]


def latest(folder):
    if not os.path.isdir(folder):
        return None
    steps = [int(n.split("-")[1]) for n in os.listdir(folder) if n.startswith("step-")]
    return max(steps) if steps else None


def main():
    args = Args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("cpu:gloo,cuda:nccl")
    mesh = init_device_mesh("cuda", (dist.get_world_size(),), mesh_dim_names=("dp",))
    torch.manual_seed(0)
    with torch.device("meta"):
        model = Transformer(args)
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in model.layers.values():
        fully_shard(layer, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    model.to_empty(device="cuda")
    model.init_weights()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    stream = Stream(mesh.get_local_rank("dp"), mesh.size(0), args)
    batches = iter(DataLoader(stream, batch_size=args.batch))
    state = TrainState(model, optimizer)

    found = [latest(args.folder)]
    dist.broadcast_object_list(found, src=0)
    if found[0] is not None:
        dcp.load({"app": state}, checkpoint_id=f"{args.folder}/step-{found[0]}")
    while state.step < args.steps:
        state.step += 1
        tokens, labels = (t.cuda(non_blocking=True) for t in next(batches))
        loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1).float(), labels.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if state.step % 10 == 0:
            mean = loss.detach()
            dist.all_reduce(mean, op=dist.ReduceOp.AVG, group=mesh.get_group())
            if dist.get_rank() == 0:
                print(state.step, mean.item())
        if state.step % args.checkpoint_every == 0:
            dcp.save({"app": state}, checkpoint_id=f"{args.folder}/step-{state.step}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
