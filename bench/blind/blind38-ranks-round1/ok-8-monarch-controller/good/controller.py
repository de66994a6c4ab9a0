import argparse
import asyncio
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from monarch.actor import Actor, current_rank, endpoint, this_host
from torch.nn.parallel import DistributedDataParallel as DDP


class Learner(Actor):
    def __init__(self, port):
        self.rank = current_rank().rank
        self.port = port

    @endpoint
    async def setup(self, world):
        os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=str(self.port))
        dist.init_process_group("gloo", rank=self.rank, world_size=world)
        torch.manual_seed(0)
        self.model = DDP(nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)))
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.02)
        self.gen = torch.Generator().manual_seed(self.rank)

    @endpoint
    async def step(self):
        x = torch.randn(32, 8, generator=self.gen)
        self.opt.zero_grad()
        loss = F.mse_loss(self.model(x), x.norm(dim=1, keepdim=True))
        loss.backward()
        self.opt.step()
        return loss.item()

    @endpoint
    async def evaluate(self):
        x = torch.randn(256, 8, generator=torch.Generator().manual_seed(999))
        with torch.no_grad():
            error = F.mse_loss(self.model.module(x), x.norm(dim=1, keepdim=True))
        dist.all_reduce(error)
        return (error / dist.get_world_size()).item()

    @endpoint
    async def save(self, path):
        if self.rank == 0:
            torch.save(self.model.module.state_dict(), path)
        dist.barrier()

    @endpoint
    async def close(self):
        dist.destroy_process_group()


async def run(args):
    procs = this_host().spawn_procs(per_host={"gpus": args.workers})
    learners = procs.spawn("learners", Learner, args.port)
    await learners.setup.call(args.workers)
    best, patience = float("inf"), 0
    for step in range(args.steps):
        losses = [value for _, value in (await learners.step.call()).items()]
        if step % 20:
            continue
        error = (await learners.evaluate.call()).item(gpus=0)
        if error < best:
            best, patience = error, 0
            await learners.save.call("best.pt")
        else:
            patience += 1
        print(step, sum(losses) / len(losses), error)
        if patience > 5:
            break
    await learners.close.call()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--port", type=int, default=29611)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
