import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from data import loaders


class Tower(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Linear(width, 256), nn.ReLU(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 1), nn.Flatten(0))


@torch.no_grad()
def logloss(model, loader, device):
    model.eval()
    total = torch.zeros(2, device=device)
    for x, y in loader:
        total[0] += nn.functional.binary_cross_entropy_with_logits(model(x.to(device)), y.to(device), reduction="sum")
        total[1] += len(y)
    dist.all_reduce(total)
    return (total[0] / total[1]).item()


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl")
    torch.manual_seed(77)
    train, test = loaders("/data/clicks.parquet", batch_size=4096)
    model = DDP(Tower(train.dataset.x.shape[1]).to(device), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(5):
        train.sampler.set_epoch(epoch)
        model.train()
        for x, y in train:
            loss = nn.functional.binary_cross_entropy_with_logits(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        score = logloss(model, test, device)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} test logloss {score:.5f}", flush=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "clicks.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
