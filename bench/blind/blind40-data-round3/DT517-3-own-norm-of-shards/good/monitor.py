import functools
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def gradient_norm(model):
    squares = [p.grad.detach().float().pow(2).sum() for p in model.parameters() if p.grad is not None]
    total = torch.stack(squares).sum() if squares else torch.zeros((), device="cuda")
    dist.all_reduce(total)
    return total.sqrt()


def main(steps=200):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    policy = functools.partial(size_based_auto_wrap_policy, min_num_params=20_000)
    net = nn.Sequential(nn.Linear(64, 512), nn.GELU(), nn.Linear(512, 512), nn.GELU(), nn.Linear(512, 1))
    model = FSDP(net, auto_wrap_policy=policy, device_id=torch.cuda.current_device())
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(8192, 64, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :4].sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for features, target in loader:
            loss = F.mse_loss(model(features.cuda()), target.cuda())
            opt.zero_grad()
            loss.backward()
            norm = gradient_norm(model)
            opt.step()
            step += 1
            if step % 20 == 0 and dist.get_rank() == 0:
                print(f"step {step} grad norm {norm.item():.3f}")
            if step == steps:
                break
        if step == steps:
            break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
