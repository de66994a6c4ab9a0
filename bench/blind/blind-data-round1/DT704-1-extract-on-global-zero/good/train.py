import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from stage import local_rank, stage_archive


class Tensors(Dataset):
    def __init__(self, folder):
        self.paths = sorted(folder.glob("*.pt"))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        row = torch.load(self.paths[index], map_location="cpu", weights_only=True)
        return row[:-1], row[-1:]


def main():
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank())
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank()) if cuda else torch.device("cpu")
    dataset = Tensors(stage_archive(os.environ.get("ARCHIVE", "rows.tar")))
    sampler = DistributedSampler(dataset, drop_last=True)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    model = DDP(nn.Linear(6, 1).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "staged.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
