import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from config import RunConfig


class Env:
    """Batched pendulum, one set of states per rank."""

    def __init__(self, count, device, seed):
        self.g = torch.Generator(device=device).manual_seed(seed)
        self.state = torch.rand(count, 2, device=device, generator=self.g)

    def step(self, action):
        angle, speed = self.state.unbind(1)
        speed = 0.99 * speed + 0.05 * (action.squeeze(1) - angle.sin())
        self.state = torch.stack([angle + 0.05 * speed, speed], dim=1).detach()
        return self.state, -(angle**2 + 0.1 * speed**2)


def main():
    cfg = RunConfig()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    if rank == 0:
        cfg.folder.mkdir(parents=True, exist_ok=True)
    dist.barrier()
    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 1)).to(device)
    model = DDP(policy, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    env = Env(256, device, seed=100 + rank)
    state = env.state
    for step in range(1, cfg.steps + 1):
        action = model(state)
        loss = F.mse_loss(action, -2 * state[:, :1])
        state, reward = env.step(action)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % cfg.save_every == 0:
            torch.save({"env": env.state, "rng": env.g.get_state()}, cfg.folder / f"env-{rank:03d}.pt")
            if rank == 0:
                torch.save({"policy": policy.state_dict(), "step": step}, cfg.folder / "policy.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
