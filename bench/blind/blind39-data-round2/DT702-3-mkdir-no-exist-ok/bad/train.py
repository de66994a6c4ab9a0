import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class RunFolder:
    def __init__(self, root, name):
        self.path = Path(root) / name
        self.path.mkdir(parents=True)

    def write_json(self, name, content):
        if dist.get_rank() == 0:
            (self.path / name).write_text(json.dumps(content, indent=2))

    def write_weights(self, name, module):
        if dist.get_rank() == 0:
            torch.save(module.state_dict(), self.path / name)


def chords(n=3072):
    gen = torch.Generator().manual_seed(28)
    x = torch.rand(n, 12, generator=gen)
    return TensorDataset(x, x.argmax(dim=1))


def main(config={"lr": 0.01, "epochs": 4, "batch": 48}):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    folder = RunFolder("runs", f"chords-lr{config['lr']}")
    folder.write_json("config.json", config)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 12)).to(device))
    opt = torch.optim.Adam(model.parameters(), lr=config["lr"])
    data = chords()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=config["batch"], sampler=sampler, drop_last=True)
    history = []
    for epoch in range(config["epochs"]):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            loss.backward()
            opt.step()
            total += loss.detach()
        dist.all_reduce(total)
        history.append(total.item() / (len(loader) * dist.get_world_size()))
        folder.write_weights(f"epoch{epoch}.pt", model.module)
    folder.write_json("history.json", history)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
