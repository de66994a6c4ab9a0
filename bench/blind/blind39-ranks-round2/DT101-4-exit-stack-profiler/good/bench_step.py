import argparse
import os
import time
from contextlib import ExitStack, contextmanager

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@contextmanager
def timed(name, device, out):
    begin = time.perf_counter()
    yield
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    dist.barrier()
    out[name] = time.perf_counter() - begin


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--width", type=int, default=256)
    return parser.parse_args()


def make(args, device):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, args.width), nn.ReLU(), nn.Linear(args.width, 64)).to(device)
    ddp = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
    return ddp, torch.optim.SGD(ddp.parameters(), lr=1e-2)


def main():
    args = parse_args()
    cuda = torch.cuda.is_available()
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    model, optimizer = make(args, device)
    data = TensorDataset(torch.randn(800, 64, generator=torch.Generator().manual_seed(5)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    timings = {}
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        with ExitStack() as stack:
            stack.enter_context(timed(f"epoch {epoch}", device, timings))
            for (x,) in loader:
                x = x.to(device)
                loss = nn.functional.mse_loss(model(x), x)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
    if rank == 0:
        for name, seconds in timings.items():
            print(f"{name}: {seconds:.2f} s")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
