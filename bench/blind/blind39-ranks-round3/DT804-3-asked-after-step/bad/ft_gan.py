import os
from datetime import timedelta

import torch
from torch import nn
from torchft import Manager, ProcessGroupGloo
from torchft.ddp import DistributedDataParallel


class Pair(nn.Module):
    """A generator and a critic trained in turns."""

    def __init__(self, noise=4, dim=2):
        super().__init__()
        self.noise = noise
        self.generator = nn.Sequential(nn.Linear(noise, 32), nn.ReLU(), nn.Linear(32, dim))
        self.critic = nn.Sequential(nn.Linear(dim, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))


def ring(batch, source):
    angle = torch.rand(batch, 1, generator=source) * 6.2832
    return torch.cat([angle.cos(), angle.sin()], dim=1)


class Player:
    def __init__(self, manager, module, lr):
        self.manager = manager
        self.module = DistributedDataParallel(manager, module)
        self.optimizer = torch.optim.Adam(module.parameters(), lr=lr, betas=(0.5, 0.9))

    def play(self, loss_of):
        self.manager.start_quorum()
        self.optimizer.zero_grad(set_to_none=True)
        loss = loss_of(self.module)
        loss.backward()
        self.optimizer.step()
        if not self.manager.should_commit():
            print(f"step {self.manager.current_step()} was not committed")
        return loss.item()


def main():
    replica = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    pair = Pair()
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        min_replica_size=1,
        load_state_dict=pair.load_state_dict,
        state_dict=pair.state_dict,
        replica_id=f"gan_{replica}",
    )
    source = torch.Generator().manual_seed(replica)
    critic, generator = Player(manager, pair.critic, 2e-4), Player(manager, pair.generator, 1e-4)
    softplus = nn.functional.softplus
    try:
        for _ in range(300):
            real, noise = ring(64, source), torch.randn(64, pair.noise, generator=source)
            with torch.no_grad():
                fake = pair.generator(noise)
            critic.play(lambda net: (softplus(-net(real)) + softplus(net(fake))).mean())
            generator.play(lambda net: softplus(-pair.critic(net(noise))).mean())
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
