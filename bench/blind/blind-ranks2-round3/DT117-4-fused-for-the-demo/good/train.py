import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from vocoder import Vocoder, demo


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    vocoder = Vocoder().to(device)
    if dist.get_rank() == 0:
        print(f"untrained demo peaks at {demo(vocoder):.3f}")
    model = DDP(vocoder)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    waves = torch.sin(torch.rand(128, 1, 1, generator=torch.Generator().manual_seed(1)) * torch.arange(64.0))
    data = TensorDataset(waves)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (wave,) in loader:
            wave = wave.to(device)
            loss = (model(wave) - wave).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
