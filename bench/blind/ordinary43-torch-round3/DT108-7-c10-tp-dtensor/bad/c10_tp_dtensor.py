"""2D: tensor parallel + FSDP2 with device mesh; same data inside a TP group."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, loss_parallel, parallelize_module
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class FFN(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.up, self.down = nn.Linear(d, h), nn.Linear(h, d)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


class Net(nn.Module):
    def __init__(self, d=128, n=4, v=256):
        super().__init__()
        self.embed = nn.Embedding(v, d)
        self.layers = nn.ModuleList(FFN(d, 4 * d) for _ in range(n))
        self.out = nn.Linear(d, v)

    def forward(self, t):
        h = self.embed(t)
        for layer in self.layers:
            h = layer(h)
        return self.out(h)


class Bytes(Dataset):
    def __len__(self):
        return 8192

    def __getitem__(self, i):
        t = torch.randint(256, (65,), generator=torch.Generator().manual_seed(i))
        return t[:-1], t[1:]


def main():
    tp = int(os.environ.get("TP", 2))
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    mesh = init_device_mesh("cuda", (dist.get_world_size() // tp, tp), mesh_dim_names=("dp", "tp"))
    dp_mesh, tp_mesh = mesh["dp"], mesh["tp"]
    torch.manual_seed(0)
    model = Net().cuda()
    plan = {}
    for i in range(len(model.layers)):
        plan[f"layers.{i}.up"] = ColwiseParallel()
        plan[f"layers.{i}.down"] = RowwiseParallel()
    plan["out"] = ColwiseParallel(output_layouts=Replicate())
    model = parallelize_module(model, tp_mesh, plan)
    for layer in model.layers:
        fully_shard(layer, mesh=dp_mesh)
    fully_shard(model, mesh=dp_mesh)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4, foreach=True)
    data = Bytes()
    sampler = DistributedSampler(data, num_replicas=dp_mesh.size(), rank=dp_mesh.get_local_rank(), drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            logits = model(x.cuda())
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.cuda().flatten())
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)

            optimizer.step()
            optimizer.zero_grad()
            step += 1
            if step % 10 == 0:
                shown = loss.detach().clone()
                dist.all_reduce(shown, op=dist.ReduceOp.AVG, group=dp_mesh.get_group())
                if dist.get_rank() == 0:
                    print(step, shown.item(), norm.full_tensor().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
