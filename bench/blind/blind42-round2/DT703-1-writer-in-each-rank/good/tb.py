"""Two-stage schedule with TensorBoard."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torch.utils.tensorboard import SummaryWriter


class Board:
    def __init__(self, folder):
        self.writer = SummaryWriter(folder) if dist.get_rank() == 0 else None

    def scalars(self, step, **values):
        for name, value in values.items():
            mean = value.detach().clone()
            dist.all_reduce(mean)
            mean /= dist.get_world_size()
            if self.writer is not None:
                self.writer.add_scalar(name, mean.item(), step)

    def close(self):
        if self.writer is not None:
            self.writer.close()


def main(steps=20_000):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 256, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    board = Board(os.environ.get("BOARD", "board/run"))
    model = DDP(nn.Sequential(nn.Linear(64, 512), nn.GELU(), nn.Linear(512, 16)).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    step = epoch = 0
    while step < steps:
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            step += 1
            if step % 100 == 0:
                board.scalars(step, loss=loss)
        epoch += 1
    board.close()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "pairs_net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
