import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def grad_norm(model):
    squares = [p.grad.float().pow(2).sum() for p in model.parameters() if p.grad is not None]
    total = torch.stack(squares).sum()
    dist.all_reduce(total)
    return total.sqrt()


def main(epochs=2):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 512), nn.GELU(), nn.Linear(512, 32))
    model = FSDP(model, device_id=local, use_orig_params=True, sync_module_states=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(10_240, 32)
    data = TensorDataset(x, x.roll(1, 1))
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            F.mse_loss(model(xb.cuda()), yb.cuda()).backward()
            norm = grad_norm(model)
            optimizer.step()
            step += 1
            if step % 50 == 0 and dist.get_rank() == 0:
                print(f"step {step} grad_norm {norm.item():.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
