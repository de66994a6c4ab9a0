import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from uploads import Uploader


def everyone(flag, device):
    vote = torch.tensor(int(flag), device=device)
    dist.all_reduce(vote, op=dist.ReduceOp.MIN)
    return vote.item() == 1


class Saver:
    def __init__(self, root, rank):
        self.rank = rank
        self.root = Path(root)
        self.root.mkdir(parents=True, exist_ok=True)

    def save(self, net, step):
        path = self.root / f"{step:06d}.rank{self.rank}.pt"
        torch.save(net.state_dict(), path)
        dist.barrier()
        return path


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(30, 60), nn.ReLU(), nn.Linear(60, 30)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters())
    archive = Path("archive")
    archive.mkdir(exist_ok=True)
    saver, uploader = Saver("shards", rank), Uploader(archive)
    data = TensorDataset(torch.randn(1500, 30, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=25, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            loss = nn.functional.l1_loss(model(x), x)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            step += 1
            if step % 10 == 0 and everyone(uploader.idle, device):
                uploader.start(saver.save(net, step))
    uploader.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
