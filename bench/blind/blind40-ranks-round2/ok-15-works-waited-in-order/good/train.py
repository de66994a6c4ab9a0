import os

import torch
import torch.distributed as dist
import torch.nn as nn

from comm import Overlap, ring_mean


def main(steps=80):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16)).to(device)
    overlap = Overlap(net)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    stream = torch.Generator().manual_seed(500 + rank)
    smooth = torch.zeros(1, device=device)
    for step in range(steps):
        x = torch.randn(32, 16, generator=stream).to(device)
        loss = nn.functional.mse_loss(net(x), x.roll(1, 1))
        opt.zero_grad()
        loss.backward()
        overlap.finish()
        opt.step()
        smooth = ring_mean(0.9 * smooth + 0.1 * loss.detach().reshape(1))
        if step % 20 == 0:
            mean = smooth.clone()
            work = dist.reduce(mean, dst=0, async_op=True)
            work.wait()
            if rank == 0:
                print(step, mean.item() / dist.get_world_size())
    if rank == 0:
        torch.save(net.state_dict(), "roll.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
