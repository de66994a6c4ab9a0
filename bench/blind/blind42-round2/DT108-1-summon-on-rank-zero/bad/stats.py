"""FSDP1 training that writes a weight histogram now and then."""
import functools
import json
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class WeightStats:
    def __init__(self, every, path):
        self.every, self.path = every, path

    def __call__(self, step, model):
        if step % self.every:
            return
        if dist.get_rank() == 0:
            with FSDP.summon_full_params(model, writeback=False):
                stats = {n: [p.mean().item(), p.std().item()] for n, p in model.named_parameters()}
            with open(self.path, "a") as fh:
                fh.write(json.dumps({"step": step, "stats": stats}) + "\n")


def network(width=4096, depth=6):
    layers = [nn.Sequential(nn.Linear(width, width), nn.SiLU()) for _ in range(depth)]
    return nn.Sequential(nn.Linear(256, width), *layers, nn.Linear(width, 256))


def main(epochs=3):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    policy = functools.partial(size_based_auto_wrap_policy, min_num_params=1_000_000)
    model = FSDP(network(), auto_wrap_policy=policy, device_id=torch.cuda.current_device(), use_orig_params=True)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    data = TensorDataset(torch.load("codes.pt", map_location="cpu", mmap=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    stats = WeightStats(500, "weights.jsonl")
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda()
            loss = nn.functional.mse_loss(model(x), x)
            loss.backward()
            model.clip_grad_norm_(1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            stats(step, model)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
