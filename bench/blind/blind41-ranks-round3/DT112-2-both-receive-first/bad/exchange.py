import os

import torch
import torch.distributed as dist


class Gossip:
    def __init__(self, model):
        self.model = model
        self.partner = dist.get_rank() ^ 1

    @torch.no_grad()
    def mix(self):
        for p in self.model.parameters():
            theirs = torch.empty_like(p)
            dist.recv(theirs, src=self.partner)
            dist.send(p.data, dst=self.partner)
            p.add_(theirs).div_(2)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = torch.nn.Linear(20, 20).cuda()
    gossip = Gossip(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for step in range(50):
        x = torch.randn(10, 20, generator=gen, device="cuda")
        opt.zero_grad()
        (model(x) - x).pow(2).mean().backward()
        opt.step()
        gossip.mix()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
