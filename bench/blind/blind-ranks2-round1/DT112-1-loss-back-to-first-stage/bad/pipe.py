import os

import torch
import torch.distributed as dist
import torch.nn as nn

WIDTH, MICRO = 16, 8


class Stage(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU()) for _ in range(depth)])

    def forward(self, x):
        return self.layers(x)


class Pipeline:
    def __init__(self, stage, device):
        self.stage = stage.to(device)
        self.device = device
        self.rank, self.stages = dist.get_rank(), dist.get_world_size()
        self.first = self.rank == 0
        self.last = self.rank == self.stages - 1
        self.optimizer = torch.optim.SGD(self.stage.parameters(), lr=0.01)

    def buffer(self, *shape):
        return torch.empty(*shape, device=self.device)

    def forward(self, batch):
        if self.first:
            received = batch
        else:
            received = self.buffer(MICRO, WIDTH)
            dist.recv(received, src=self.rank - 1)
            received.requires_grad_()
        sent = self.stage(received)
        if not self.last:
            dist.send(sent.detach(), dst=self.rank + 1)
        return received, sent

    def backward(self, received, sent, target):
        if self.last:
            loss = nn.functional.mse_loss(sent, target)
            loss.backward()
        else:
            loss = None
            gradient = self.buffer(MICRO, WIDTH)
            dist.recv(gradient, src=self.rank + 1)
            sent.backward(gradient)
        if not self.first:
            dist.send(received.grad, dst=self.rank - 1)
        return loss

    def report(self, loss):
        """The first stage writes the log, so the loss travels back to it."""
        if self.last:
            dist.send(loss.detach().reshape(1), dst=0)
        else:
            value = self.buffer(1)
            dist.recv(value, src=self.stages - 1)
            if self.first:
                print(f"loss {value.item():.4f}")

    def step(self, batch, target):
        received, sent = self.forward(batch)
        loss = self.backward(received, sent, target)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.report(loss)


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(100 + dist.get_rank())
    pipeline = Pipeline(Stage(2), device)
    data = torch.Generator().manual_seed(0)
    for _ in range(4):
        batch = torch.randn(MICRO, WIDTH, generator=data).to(device)
        pipeline.step(batch, batch.flip(0))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
