import argparse
import os
import shutil
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import yaml
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def fresh(folder, settings):
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / "settings.yaml").write_text(yaml.safe_dump(settings))


def settings():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="/shared/runs/parabola")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--lr", type=float, default=0.01)
    return vars(parser.parse_args())


def parabola(n=4096):
    x = torch.rand(n, 1, generator=torch.Generator().manual_seed(7)) * 4 - 2
    return TensorDataset(x, x.square())


def main():
    given = settings()
    out = Path(given["out"])
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    if rank == 0:
        fresh(out, given)
    dist.barrier()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=given["lr"])
    data = parabola()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(given["epochs"]):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
        if rank == 0:
            torch.save(net.state_dict(), out / f"epoch{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
