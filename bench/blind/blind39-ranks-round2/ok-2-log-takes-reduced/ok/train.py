import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def reduced(value):
    value = value.detach().clone()
    dist.all_reduce(value)
    return value / dist.get_world_size()


class Null:
    def add_scalar(self, *args, **kwargs):
        pass

    def close(self):
        pass


def writer_for(rank):
    if rank != 0:
        return Null()
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter("tb")


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    say = print if rank == 0 else (lambda *args, **kwargs: None)
    writer = writer_for(rank)
    torch.manual_seed(0)
    model = DDP(nn.Linear(12, 2).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters())
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(480, 12, generator=g), torch.randint(0, 2, (480,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=24, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            writer.add_scalar("loss", reduced(loss), step)
            step += 1
        say(f"epoch {epoch}: last loss {reduced(loss):.4f}")
    writer.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
