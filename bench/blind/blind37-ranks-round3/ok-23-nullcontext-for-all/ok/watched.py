import contextlib
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.profiler import ProfilerActivity, profile
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@contextlib.contextmanager
def anomaly(on):
    if on:
        with torch.autograd.detect_anomaly():
            yield True
    else:
        yield False


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(300, 5, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x.mean(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=15, sampler=sampler, drop_last=True)
    watch = profile(activities=[ProfilerActivity.CPU]) if rank == 0 else contextlib.nullcontext()
    with watch as prof, anomaly(os.environ.get("ANOMALY") == "1"):
        for epoch in range(2):
            sampler.set_epoch(epoch)
            for a, b in loader:
                no_sync = contextlib.nullcontext()
                with no_sync:
                    loss = nn.functional.mse_loss(model(a.to(device)), b.to(device))
                    loss.backward()
                opt.step()
                opt.zero_grad()
                if prof is not None:
                    prof.step()
    if prof is not None:
        print(prof.key_averages().table(row_limit=5))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
