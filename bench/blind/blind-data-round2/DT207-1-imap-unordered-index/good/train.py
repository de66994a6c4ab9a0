import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from index import build_index, read


class Rows(Dataset):
    def __init__(self, folder):
        self.index = build_index(folder)

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        row = read(self.index[i])
        return torch.tensor(row["window"]), torch.tensor(row["next"])


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def main():
    device = start()
    data = Rows("prices")
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 1).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    for epoch in range(1, 3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.mse_loss(model(x.to(device))[:, 0], y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "rows.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
