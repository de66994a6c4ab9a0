import argparse
import os
import tempfile

import horovod.torch as hvd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torch.utils.tensorboard import SummaryWriter


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--lr", type=float, default=0.0125)
    p.add_argument("--log-dir", default="logs")
    return p.parse_args()


def averaged(value, name):
    return hvd.allreduce(torch.as_tensor(value), name=name).item()


def main():
    args = parse()
    hvd.init()
    torch.cuda.set_device(hvd.local_rank())
    torch.manual_seed(42)
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix=f"triton{hvd.rank()}-")
    lead = hvd.rank() == 0
    x = torch.randn(2048, 28, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, ::4].argmax(1))
    sampler = DistributedSampler(data, num_replicas=hvd.size(), rank=hvd.rank(), drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Linear(28, 112), nn.ReLU(), nn.Linear(112, 7)).cuda()
    opt = torch.optim.SGD(net.parameters(), lr=args.lr * hvd.size(), momentum=0.9)
    opt = hvd.DistributedOptimizer(opt, named_parameters=net.named_parameters())
    hvd.broadcast_parameters(net.state_dict(), root_rank=0)
    hvd.broadcast_optimizer_state(opt, root_rank=0)
    writer = SummaryWriter(args.log_dir) if lead else None
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        total = 0.0
        for xb, yb in loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(net(xb.cuda()), yb.cuda())
            loss.backward()
            opt.step()
            total += loss.item()
        mean = averaged(total / len(loader), "epoch_loss")
        if writer:
            writer.add_scalar("loss", mean, epoch)
        if lead:
            torch.save(net.state_dict(), os.path.join(args.log_dir, f"net-{epoch}.pt"))
    if writer:
        writer.close()


if __name__ == "__main__":
    main()
