"""ZeroRedundancyOptimizer: consolidate on all ranks, state_dict on the target; post-local SGD hook; powerSGD hook."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    dist.init_process_group("nccl")
    rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(*[nn.Linear(256, 256) for _ in range(8)]).cuda(), device_ids=[local])
    if os.environ.get("POWERSGD"):
        state = powerSGD_hook.PowerSGDState(process_group=None, matrix_approximation_rank=2)
        model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    else:
        model.register_comm_hook(None, default_hooks.bf16_compress_hook)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.AdamW, lr=1e-3)
    x = torch.randn(1024, 256)
    data = TensorDataset(x, x.cumsum(1))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 16, sampler=sampler)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for a, b in loader:
            loss = nn.functional.mse_loss(model(a.cuda()), b.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if rank == 0:
            optimizer.consolidate_state_dict(to=0)
            torch.save({"model": model.module.state_dict(), "optim": optimizer.state_dict()}, f"zero{epoch}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
