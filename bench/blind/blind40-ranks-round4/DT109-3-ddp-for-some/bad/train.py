import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

from roles import Role


class Learner:
    def __init__(self, role, group):
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
        self.model = DDP(self.net)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.gen = torch.Generator().manual_seed(role.rank)

    def update(self):
        x = torch.randn(32, 4, generator=self.gen)
        loss = nn.functional.mse_loss(self.model(x), x[:, :2] * x[:, 2:])
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


class Simulator:
    def __init__(self, role):
        self.gen = torch.Generator().manual_seed(1000 + role.rank)
        self.frames = 0

    def update(self):
        self.frames += int(torch.randint(1, 50, (1,), generator=self.gen))


def main(rounds=100):
    role = Role.from_env()
    group = dist.new_group(list(range(role.learners)))
    worker = Learner(role, group) if role.learns else Simulator(role)
    for _ in range(rounds):
        worker.update()
    frames = torch.tensor(float(getattr(worker, "frames", 0)))
    dist.all_reduce(frames)
    if role.rank == 0:
        print("frames", int(frames))
        torch.save(worker.net.state_dict(), "policy.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
