import argparse

import torch
import torch.distributed as dist
from torch import nn


class Stage(nn.Module):
    def __init__(self, inp, out):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inp, 32), nn.ReLU(), nn.Linear(32, out))

    def forward(self, x):
        return self.body(x)


def send_forward(out):
    dist.send(out.detach().contiguous(), dst=1)


def recv_backward(out):
    grad = torch.empty_like(out)
    dist.recv(grad, src=1)
    out.backward(grad)


def first(stage, batch, micro, warmup=1):
    waiting = []
    for i, chunk in enumerate(batch.chunk(micro)):
        out = stage(chunk)
        send_forward(out)
        waiting.append(out)
        if i >= warmup:
            recv_backward(waiting.pop(0))
    while waiting:
        recv_backward(waiting.pop(0))


def last(stage, rows, target, micro):
    for part in target.chunk(micro):
        hidden = torch.empty(rows, 12)
        dist.recv(hidden, src=0)
        hidden.requires_grad_()
        loss = nn.functional.mse_loss(stage(hidden), part) / micro
        loss.backward()
        dist.send(hidden.grad, dst=0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--micro", type=int, default=4)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--steps", type=int, default=12)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    if dist.get_world_size() != 2:
        raise SystemExit("two processes")
    rank = dist.get_rank()
    torch.manual_seed(10 + rank)
    stage = Stage(6, 12) if rank == 0 else Stage(12, 1)
    opt = torch.optim.SGD(stage.parameters(), lr=0.05)
    gen = torch.Generator().manual_seed(3)
    for _ in range(args.steps):
        batch = torch.randn(args.micro * args.rows, 6, generator=gen)
        opt.zero_grad()
        if rank == 0:
            first(stage, batch, args.micro)
        else:
            last(stage, args.rows, batch.sum(1, keepdim=True), args.micro)
        opt.step()
    torch.save(stage.state_dict(), f"stage_{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
