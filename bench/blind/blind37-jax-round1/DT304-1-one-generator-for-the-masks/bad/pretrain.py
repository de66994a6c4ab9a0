import argparse
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from mae import PatchMAE


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="patches.pt")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=3407)
    parser.add_argument("--batch-size", type=int, default=128)
    return parser.parse_args()


class Masker:
    """Draws the scores by which patches are kept or hidden."""

    def __init__(self, seed, device):
        self.generator = torch.Generator(device=device).manual_seed(seed)
        self.device = device

    def __call__(self, patches):
        return torch.rand(patches.shape[:2], generator=self.generator, device=self.device)


def main():
    args = parse()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank)
    torch.manual_seed(args.seed)

    data = TensorDataset(torch.load(args.data, map_location="cpu"))
    sampler = DistributedSampler(data, seed=args.seed, drop_last=True)
    loader = DataLoader(data, args.batch_size, sampler=sampler, num_workers=4, drop_last=True, pin_memory=True)
    model = DistributedDataParallel(PatchMAE().to(device), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.5e-4, weight_decay=0.05)
    masker = Masker(args.seed, device)

    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for (patches,) in loader:
            patches = patches.to(device, non_blocking=True)
            loss = model(patches, masker(patches))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if rank == 0:
            torch.save(model.module.state_dict(), f"mae_{epoch:03d}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
