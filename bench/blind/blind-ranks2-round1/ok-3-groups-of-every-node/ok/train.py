import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from hierarchy import Hierarchy


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-node", type=int, default=int(os.environ.get("LOCAL_WORLD_SIZE", 1)))
    args = parser.parse_args(argv)
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    hierarchy = Hierarchy(args.per_node)
    torch.manual_seed(0)
    model = nn.Linear(16, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    generator = torch.Generator().manual_seed(6)
    data = TensorDataset(torch.randn(256, 16, generator=generator), torch.randn(256, 4, generator=generator))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        last = None
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            loss.backward()
            for parameter in model.parameters():
                hierarchy.average(parameter.grad)
            optimizer.step()
            last = loss.detach().clone()
        mean = hierarchy.average(last)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} last loss {mean.item():.4f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
