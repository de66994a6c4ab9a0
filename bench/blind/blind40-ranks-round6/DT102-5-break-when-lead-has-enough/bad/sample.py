import os

import torch
import torch.distributed as dist
import torch.nn as nn


class Sampler:
    def __init__(self, net, device, wanted):
        self.net, self.device, self.wanted = net, device, wanted
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.noise = torch.Generator().manual_seed(4000 + self.rank)

    def draw(self, n=16):
        z = torch.randn(n, 8, generator=self.noise).to(self.device)
        return self.net(z)

    @torch.no_grad()
    def collect(self):
        kept = []
        for _ in range(1000):
            mine = self.draw()
            everyone = [torch.empty_like(mine) for _ in range(self.world)]
            dist.all_gather(everyone, mine)
            if self.rank == 0:
                kept.append(torch.cat(everyone).cpu())
                if sum(map(len, kept)) >= self.wanted:
                    break
        return torch.cat(kept)[: self.wanted] if kept else None


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2)).to(device).eval()
    samples = Sampler(net, device, wanted=500).collect()
    if dist.get_rank() == 0:
        torch.save(samples, "samples.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
