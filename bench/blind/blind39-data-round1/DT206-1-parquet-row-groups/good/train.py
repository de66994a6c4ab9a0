import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from rowgroups import RowGroupDataset

COLUMNS = ["load", "temp", "wind", "hour", "price"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="demand.parquet")
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args()

    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", local_rank))
    rank, world = dist.get_rank(), dist.get_world_size()

    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
    model = DistributedDataParallel(net, device_ids=[local_rank])
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    dataset = RowGroupDataset(args.data, rank, world, COLUMNS)
    loader = DataLoader(dataset, batch_size=None, shuffle=True, num_workers=2)

    for epoch in range(args.epochs):
        total = torch.zeros(2, device="cuda")
        for x, y in loader:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            opt.zero_grad(set_to_none=True)
            loss = nn.functional.huber_loss(model(x).squeeze(-1), y)
            loss.backward()
            opt.step()
            total += torch.stack([loss.detach() * len(y), torch.tensor(float(len(y)), device="cuda")])
        dist.all_reduce(total)
        if rank == 0:
            print(f"epoch {epoch}: {(total[0] / total[1]).item():.4f}")
            torch.save(net.state_dict(), "demand.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
