"""submitit trainer with checkpoint() method and SLURM variables, preemption flag agreed over ranks."""
import os
import pathlib
import signal
import socket
import uuid

import submitit
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import datasets, transforms


class Trainer:
    def __init__(self, args):
        self.args = args

    def __call__(self):
        env = submitit.JobEnvironment()
        os.environ["MASTER_ADDR"] = env.hostnames[0]
        os.environ["MASTER_PORT"] = "29500"
        dist.init_process_group("nccl", rank=env.global_rank, world_size=env.num_tasks)
        torch.cuda.set_device(env.local_rank)
        self.preempted = False
        signal.signal(signal.SIGTERM, self._handler)
        print(f"{socket.gethostname()}: rank {env.global_rank} of {env.num_tasks}")
        self.train(env)
        dist.destroy_process_group()

    def _handler(self, *_):
        self.preempted = True

    def should_stop(self):
        flag = torch.tensor(float(self.preempted), device="cuda")
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return flag.item() > 0

    def checkpoint(self):
        self.args.resume = True
        return submitit.helpers.DelayedSubmission(type(self)(self.args))

    def train(self, env):
        args = self.args
        model = nn.Sequential(nn.Flatten(), nn.Linear(784, 10)).cuda()
        model = DDP(model, device_ids=[env.local_rank])
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        path = pathlib.Path(args.folder) / "state.pt"
        start = 0
        if args.resume and path.exists():
            state = torch.load(path, map_location=f"cuda:{env.local_rank}")
            model.load_state_dict(state["model"])
            start = state["epoch"] + 1
        data = datasets.MNIST(args.data, transform=transforms.ToTensor())
        sampler = DistributedSampler(data)
        loader = DataLoader(data, 128, sampler=sampler, num_workers=4)
        for epoch in range(start, args.epochs):
            sampler.set_epoch(epoch)
            for i, (x, y) in enumerate(loader):
                loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if i % 20 == 0 and self.should_stop():
                    self.save(env, model, epoch - 1, path)
                    return
            self.save(env, model, epoch, path)

    def save(self, env, model, epoch, path):
        if env.global_rank == 0:
            tmp = path.with_suffix(".tmp")
            torch.save({"model": model.state_dict(), "epoch": epoch}, tmp)
            tmp.rename(path)
        dist.barrier()


def main(args):
    folder = pathlib.Path(args.root) / uuid.uuid4().hex
    folder.mkdir(parents=True)
    args.folder = str(folder)
    executor = submitit.AutoExecutor(folder=folder)
    executor.update_parameters(nodes=2, gpus_per_node=8, tasks_per_node=8, timeout_min=600, slurm_signal_delay_s=120)
    job = executor.submit(Trainer(args))
    print("submitted", job.job_id)


if __name__ == "__main__":
    import argparse

    p = argparse.ArgumentParser()
    p.add_argument("--root", default="/checkpoint")
    p.add_argument("--data", default="/data")
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--resume", action="store_true")
    main(p.parse_args())
