import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import MixedPrecision
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Session:
    def __enter__(self):
        dist.init_process_group("nccl")
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        return self

    def __exit__(self, *exc):
        dist.destroy_process_group()

    def shard(self, net):
        policy = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        return FSDP(net, mixed_precision=policy, device_id=self.rank)


def series(n=8192):
    gen = torch.Generator().manual_seed(2)
    x = torch.randn(n, 96, generator=gen).cumsum(dim=1)
    return TensorDataset(x[:, :64], x[:, 64:])


def main(epochs=4):
    with Session() as session:
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(64, 2048), nn.GELU(), nn.Linear(2048, 2048), nn.GELU(), nn.Linear(2048, 32))
        model = session.shard(net)
        opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
        data = series()
        sampler = DistributedSampler(data, drop_last=True)
        loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for past, future in loader:
                opt.zero_grad(set_to_none=True)
                F.smooth_l1_loss(model(past.cuda()).float(), future.cuda()).backward()
                model.clip_grad_norm_(1.0)
                opt.step()
        dist.barrier()


if __name__ == "__main__":
    main()
