import os

import torch
import torch.distributed as dist
import torch.nn as nn

from ema import SlowMomentum


def main(steps=300):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(11, 22), nn.Tanh(), nn.Linear(22, 1)).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.03)
    slow = SlowMomentum(net, period=10, warmup=50)
    gen = torch.Generator().manual_seed(20 + rank)
    for step in range(steps):
        x = torch.randn(24, 11, generator=gen).to(device)
        loss = nn.functional.mse_loss(net(x), x.amin(1, keepdim=True))
        opt.zero_grad()
        loss.backward()
        opt.step()
        if rank == 0:
            slow.seen += 1
            if step % 50 == 0:
                print(f"{step}: {loss.item():.4f}{'' if slow.active else ' (warm-up)'}")
        slow.average(step)
    if rank == 0:
        torch.save(net.state_dict(), "slow.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
