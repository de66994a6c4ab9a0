import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from snapshots import publish

FULL = StateDictOptions(full_state_dict=True, cpu_offload=True)


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def main(out="snapshots", epochs=2):
    device = start()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(7, 28), nn.SiLU(), nn.Linear(28, 7)).to(device)
    for layer in (model[0], model[2], model):
        fully_shard(layer)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(512, 7, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (rows,) in loader:
            rows = rows.to(device)
            loss = F.mse_loss(model(rows), rows)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        where = publish(get_model_state_dict(model, options=FULL), out, f"epoch{epoch}.pt")
        if dist.get_rank() == 0:
            print("wrote", where)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
