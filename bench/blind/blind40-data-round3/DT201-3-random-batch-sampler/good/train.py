import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def events(n=6000):
    gen = torch.Generator().manual_seed(40)
    x = torch.randn(n, 9, generator=gen)
    return TensorDataset(x, (x.prod(dim=1) > 0).float())


class Batches(DataLoader):
    """Whole batches are fetched by one __getitem__ call, which is quicker for tensors."""

    def __init__(self, dataset, order, batch_size):
        picked = BatchSampler(order, batch_size=batch_size, drop_last=True)
        super().__init__(dataset, sampler=picked, batch_size=None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=64)
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(9, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    model = DistributedDataParallel(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    dataset = events()
    order = DistributedSampler(dataset, shuffle=True, drop_last=True)
    loader = Batches(dataset, order, args.batch_size)
    for epoch in range(args.epochs):
        order.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            F.binary_cross_entropy_with_logits(model(x.to(device)).squeeze(1), y.to(device)).backward()
            opt.step()
        if dist.get_rank() == 0:
            print("epoch", epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
