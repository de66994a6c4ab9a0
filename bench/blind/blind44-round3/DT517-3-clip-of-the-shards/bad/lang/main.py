import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, ShardingStrategy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from lang.clip import Clipper
from lang.model import Lm


def main(epochs=2):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = FSDP(Lm(), device_id=local, sharding_strategy=ShardingStrategy.FULL_SHARD, use_orig_params=True)
    opt = torch.optim.AdamW(model.parameters(), 1e-3)
    clip = Clipper(1.0)
    rows = torch.randint(0, 200, (1024, 33), generator=torch.Generator().manual_seed(0))
    data = TensorDataset(rows)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda()
            loss = F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
            loss.backward()
            clip(model)
            opt.step()
            opt.zero_grad(set_to_none=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
