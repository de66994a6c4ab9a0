import os
from types import SimpleNamespace

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from net import TwoHeads, total_loss


def setup():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    return SimpleNamespace(rank=rank, is_main=rank == 0, device=torch.device("cuda", local) if cuda else torch.device("cpu"))


def main():
    env = setup()
    torch.manual_seed(0)
    model = DDP(TwoHeads().to(env.device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    g = torch.Generator().manual_seed(1)
    data = TensorDataset(torch.randn(256, 24, generator=g), torch.randint(0, 6, (256,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(env.device), y.to(env.device)
            logits, rebuilt = model(x, reconstruct=env.is_main)
            loss = total_loss(logits, y, rebuilt, x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if env.is_main and rebuilt is not None:
            print(f"epoch {epoch}: first rebuilt row {[round(v, 2) for v in rebuilt[0, :4].tolist()]}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
