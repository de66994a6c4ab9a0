import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from data.cache import TokenCache
from model import CharModel


def main(epochs=2):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    data = TokenCache("input.txt", "/shared/cache/input.npy", window=32)
    sampler = DistributedSampler(data, seed=11)
    loader = DataLoader(data, batch_size=24, sampler=sampler, num_workers=2, drop_last=True)
    torch.manual_seed(0)
    model = DDP(CharModel().to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            logits = model(x.to(device))
            loss = F.cross_entropy(logits.flatten(0, 1), y.to(device).flatten())
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "char.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
