import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torch.utils.tensorboard import SummaryWriter


class Log:
    def __init__(self, folder):
        self.writer = SummaryWriter(folder) if dist.get_rank() == 0 else None

    def scalar(self, name, value, step):
        if self.writer is not None:
            self.writer.add_scalar(name, value, step)

    def close(self):
        if self.writer is not None:
            self.writer.close()


def grad_norm(model):
    squares = [p.grad.detach().float().pow(2).sum() for p in model.parameters() if p.grad is not None]
    total = torch.stack(squares).sum()
    dist.all_reduce(total)
    return total.sqrt()


def shift(n=8192, dim=512):
    x = torch.randn(n, dim, generator=torch.Generator().manual_seed(21))
    return TensorDataset(x, x.roll(1, 1))


def main(epochs=3):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512))
    model = FSDP(net, device_id=local_rank, sync_module_states=True, use_orig_params=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    log = Log("/shared/runs/shift")
    data = shift()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            if step % 50 == 0:
                norm = grad_norm(model)
                log.scalar("grad_norm", norm.item(), step)
            optimizer.step()
            step += 1
    log.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
