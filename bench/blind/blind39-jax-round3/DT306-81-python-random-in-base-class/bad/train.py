import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from base import CropDataset


class EcgDataset(CropDataset):
    def __getitem__(self, index):
        signal, label = self.items[index]
        return signal[:, self.window(signal.shape[-1])], label


def main(epochs=10):
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(0)
    data = EcgDataset(torch.load("ecg.pt", map_location="cpu"), crop=2048, seed=dist.get_rank())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, num_workers=6, drop_last=True, pin_memory=True)
    net = nn.Sequential(nn.Conv1d(12, 64, 16, stride=8), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(64, 5))
    model = DistributedDataParallel(net.cuda(), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for signal, label in loader:
            loss = nn.functional.cross_entropy(model(signal.cuda(non_blocking=True)), label.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "ecg_model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
