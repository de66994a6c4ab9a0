import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


@torch.no_grad()
def average(module):
    world = dist.get_world_size()
    for t in (*module.parameters(), *module.buffers()):
        if t.is_floating_point():
            dist.all_reduce(t)
            t.div_(world)


class Ema(nn.Module):
    def __init__(self, net, decay=0.99):
        super().__init__()
        self.decay = decay
        for name, p in net.named_parameters():
            self.register_buffer(name.replace(".", "_"), p.detach().clone())

    @torch.no_grad()
    def update(self, net):
        for name, p in net.named_parameters():
            getattr(self, name.replace(".", "_")).lerp_(p, 1 - self.decay)


def main(steps=20):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Linear(6, 1).to(device)
    ema = Ema(net).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    g = torch.Generator().manual_seed(30 + dist.get_rank())
    for step in range(steps):
        x = torch.randn(16, 6, generator=g).to(device)
        optimizer.zero_grad()
        F.mse_loss(net(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        if step % 4 == 3:
            average(net)
        ema.update(net)
    average(ema)
    if dist.get_rank() == 0:
        torch.save(ema.state_dict(), "ema.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
