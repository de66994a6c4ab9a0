import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from saver import Saver


def main():
    dist.init_process_group("nccl")
    device = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(device)
    torch.manual_seed(0)
    saver = Saver("checkpoints", dist.get_rank())
    x, y = torch.load("table.pt", map_location="cpu")
    data = TensorDataset(x, y)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True, num_workers=2)
    model = DistributedDataParallel(nn.Linear(x.shape[1], 1).cuda(), device_ids=[device])
    optimizer = torch.optim.AdamW(model.parameters())
    step = 0
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for rows, wanted in loader:
            loss = nn.functional.mse_loss(model(rows.cuda()).squeeze(-1), wanted.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 500 == 0:
                saver.save(model.module, step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
