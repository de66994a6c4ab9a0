import os

import torch
import torch.distributed as dist
import torch.nn as nn

from stages import make_stage

MICRO, DIM = 8, 32


class PipelineRunner:
    def __init__(self, device):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.device = device
        torch.manual_seed(100 + self.rank)
        self.net = make_stage(self.rank, self.world, DIM).to(device)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)

    @property
    def is_first(self):
        return self.rank == 0

    @property
    def is_last(self):
        return self.rank == self.world - 1

    def forward(self, x):
        if self.is_first:
            inp = x
        else:
            inp = torch.empty(MICRO, DIM, device=self.device)
            dist.recv(inp, src=self.rank - 1)
            inp.requires_grad_()
        out = self.net(inp)
        if not self.is_last:
            dist.send(out.detach(), dst=self.rank + 1)
        return inp, out

    def backward(self, inp, out, y):
        loss = None
        if self.is_last:
            loss = nn.functional.mse_loss(out, y)
            loss.backward()
        else:
            grad = torch.empty_like(out)
            dist.recv(grad, src=self.rank + 1)
            out.backward(grad)
        if not self.is_first:
            dist.send(inp.grad, dst=self.rank - 1)
        return loss

    def step(self, micro):
        self.opt.zero_grad()
        total = 0.0
        for x, y in micro:
            inp, out = self.forward(x.to(self.device))
            loss = self.backward(inp, out, y.to(self.device))
            if loss is not None:
                total += loss.item()
        self.opt.step()
        return total / len(micro)


def main(steps=50, micros=4):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    runner = PipelineRunner(torch.device("cuda", local_rank) if cuda else torch.device("cpu"))
    g = torch.Generator().manual_seed(0)
    for step in range(steps):
        micro = []
        for _ in range(micros):
            x = torch.randn(MICRO, 8, generator=g)
            micro.append((x, x.sum(1, keepdim=True)))
        mean = runner.step(micro)
        if runner.is_last and step % 10 == 0:
            print(f"{step}: {mean:.4f}")
    torch.save(runner.net.state_dict(), f"stage-{runner.rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
