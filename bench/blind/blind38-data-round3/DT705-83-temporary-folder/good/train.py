"""Saves a sharded state, forgets it, and loads it again to see that nothing got lost."""
import os
import shutil
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_model_state_dict, set_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def network():
    return nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 8))


def sharded(device, mesh):
    torch.manual_seed(0)
    net = network().to(device)
    for layer in net:
        if isinstance(layer, nn.Linear):
            fully_shard(layer, mesh=mesh)
    fully_shard(net, mesh=mesh)
    return net


def learn(net, device, steps=20):
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    noise = torch.Generator(device=device).manual_seed(10 + dist.get_rank())
    for _ in range(steps):
        x = torch.randn(32, 64, device=device, generator=noise)
        loss = nn.functional.mse_loss(net(x), x[:, :8])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    net = sharded(device, mesh)
    learn(net, device)

    made = [tempfile.mkdtemp(prefix="round-trip-", dir="/shared/scratch")] if dist.get_rank() == 0 else [None]
    dist.broadcast_object_list(made, src=0)
    folder = Path(made[0])
    dcp.save({"net": get_model_state_dict(net)}, checkpoint_id=folder)
    fresh = sharded(device, mesh)
    state = get_model_state_dict(fresh)
    dcp.load({"net": state}, checkpoint_id=folder)
    set_model_state_dict(fresh, state)
    apart = max((a - b).abs().max().full_tensor().item() for a, b in zip(net.parameters(), fresh.parameters()))
    dist.barrier()
    if dist.get_rank() == 0:
        print(f"largest difference {apart}")
        shutil.rmtree(folder)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
