import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def gradient_norm(model):
    norms = [p.grad.detach().float().norm() for p in model.parameters() if p.grad is not None]
    square = torch.stack(norms).square().sum() if norms else torch.zeros((), device="cuda")
    return square.sqrt()


def embeddings(n=4096):
    gen = torch.Generator().manual_seed(7)
    x = torch.randn(n, 300, generator=gen)
    return TensorDataset(x, x[:, ::3].contiguous())


def main(epochs=2):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(300, 4096), nn.GELU(), nn.Linear(4096, 100))
    model = FSDP(net, device_id=local_rank, use_orig_params=True)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-4)
    data = embeddings()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            F.mse_loss(model(x.cuda()), y.cuda()).backward()
            norm = gradient_norm(model)
            opt.step()
            step += 1
            if step % 50 == 0 and rank == 0:
                print(f"step {step} grad norm {norm.item():.3f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
