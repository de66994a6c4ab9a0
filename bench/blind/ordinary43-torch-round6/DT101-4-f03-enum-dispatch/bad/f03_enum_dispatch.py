"""Command loop: rank 0 broadcasts commands (train/eval/save/stop), others obey; a dict of handlers."""
import enum
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Command(enum.IntEnum):
    TRAIN = 0
    EVAL = 1
    SAVE = 2
    STOP = 3


class Worker:
    def __init__(self):
        self.rank = dist.get_rank()
        self.device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(self.device)
        torch.manual_seed(0)
        self.model = DDP(nn.Linear(10, 1).to(self.device), device_ids=[self.device.index])
        self.optimizer = torch.optim.SGD(self.model.parameters(), 0.1)
        self.generator = torch.Generator(self.device).manual_seed(100 + self.rank)
        self.handlers = {Command.TRAIN: self.train, Command.EVAL: self.evaluate, Command.SAVE: self.save}
        self.value = None

    def batch(self):
        x = torch.randn(32, 10, generator=self.generator, device=self.device)
        return x, x.mean(1, keepdim=True)

    def train(self):
        for _ in range(50):
            x, y = self.batch()
            loss = nn.functional.mse_loss(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def evaluate(self):
        x, y = self.batch()
        loss = nn.functional.mse_loss(self.model.module(x), y)
        dist.all_reduce(loss)
        self.value = (loss / dist.get_world_size()).item()
        if self.rank == 0:
            print("value", self.value)

    def save(self):
        if self.rank == 0:
            torch.save(self.model.module.state_dict(), "worker.pt")
            dist.barrier()

    def next_command(self, plan):
        code = torch.tensor(int(next(plan, Command.STOP)) if self.rank == 0 else -1, device=self.device)
        dist.broadcast(code, src=0)
        return Command(code.item())

    def run(self, plan):
        while (command := self.next_command(plan)) is not Command.STOP:
            self.handlers[command]()


def plan():
    for epoch in range(5):
        yield Command.TRAIN
        yield Command.EVAL
        if epoch % 2:
            yield Command.SAVE


def main():
    dist.init_process_group("nccl")
    Worker().run(plan())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
