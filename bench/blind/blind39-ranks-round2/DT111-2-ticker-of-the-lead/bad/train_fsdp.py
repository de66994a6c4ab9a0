import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def make_hooks(model, optimizer, lead, every):
    seen = 0

    def after_step(loss):
        nonlocal seen
        if lead:
            seen += 1
            if seen % 10 == 0:
                print(f"step {seen} loss {loss:.4f}")

    def maybe_save():
        if seen and seen % every == 0:
            weights, states = get_state_dict(model, optimizer)
            dcp.save({"model": weights, "optim": states}, checkpoint_id=f"fsdp/{seen}")

    return after_step, maybe_save


def build(device):
    torch.manual_seed(0)
    model = nn.Sequential(*[nn.Sequential(nn.Linear(32, 32), nn.ReLU()) for _ in range(4)], nn.Linear(32, 8)).to(device)
    for layer in model:
        fully_shard(layer)
    return fully_shard(model)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("cuda:nccl,cpu:gloo" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    model = build(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    after_step, maybe_save = make_hooks(model, optimizer, lead=dist.get_rank() == 0, every=25)
    g = torch.Generator().manual_seed(1)
    data = TensorDataset(torch.randn(1000, 32, generator=g), torch.randint(0, 8, (1000,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            after_step(loss.item())
            maybe_save()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
