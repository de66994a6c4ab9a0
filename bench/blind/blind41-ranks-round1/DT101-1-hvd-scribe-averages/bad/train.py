import argparse

import horovod.torch as hvd
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
from torch.utils.tensorboard import SummaryWriter


class Scribe:
    def __init__(self, folder):
        self.writer = SummaryWriter(folder)

    def write(self, step, values):
        for name, value in values.items():
            mean = hvd.allreduce(value.detach(), name=f"log.{name}").item()
            self.writer.add_scalar(name, mean, step)

    def close(self):
        self.writer.close()


class Loop:
    def __init__(self, args):
        self.args = args
        self.scribe = Scribe(args.logdir) if hvd.rank() == 0 else None
        torch.manual_seed(args.seed)
        self.model = nn.Sequential(nn.Linear(24, 64), nn.Tanh(), nn.Linear(64, 3))
        if torch.cuda.is_available():
            self.model.cuda()
        base = torch.optim.SGD(self.model.parameters(), lr=args.lr * hvd.size(), momentum=0.9)
        self.optimizer = hvd.DistributedOptimizer(base, named_parameters=self.model.named_parameters())
        hvd.broadcast_parameters(self.model.state_dict(), root_rank=0)
        hvd.broadcast_optimizer_state(self.optimizer, root_rank=0)

    def batches(self, epoch):
        gen = torch.Generator().manual_seed(3)
        data = TensorDataset(torch.randn(960, 24, generator=gen), torch.randint(0, 3, (960,), generator=gen))
        sampler = DistributedSampler(data, num_replicas=hvd.size(), rank=hvd.rank(), drop_last=True)
        sampler.set_epoch(epoch)
        yield from DataLoader(data, batch_size=self.args.batch, sampler=sampler, drop_last=True)

    def run(self):
        step = 0
        for epoch in range(self.args.epochs):
            for x, y in self.batches(epoch):
                if torch.cuda.is_available():
                    x, y = x.cuda(), y.cuda()
                self.optimizer.zero_grad()
                loss = F.cross_entropy(self.model(x), y)
                loss.backward()
                self.optimizer.step()
                step += 1
                if step % self.args.log_every == 0:
                    values = {"train/loss": loss.detach()}
                    if self.scribe is not None:
                        self.scribe.write(step, values)
        if self.scribe is not None:
            self.scribe.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--log-every", type=int, default=5)
    parser.add_argument("--logdir", default="tb")
    args = parser.parse_args()
    hvd.init()
    if torch.cuda.is_available():
        torch.cuda.set_device(hvd.local_rank())
    Loop(args).run()
    hvd.shutdown()


if __name__ == "__main__":
    main()
