import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

from policy import Policy, Rollout


def main(updates=50, seed=7):
    dist.init_process_group("gloo")
    torch.manual_seed(seed)
    policy = Policy()
    model = DDP(policy)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    rollout = Rollout(policy, seed)
    for _ in range(updates):
        obs, actions, rewards = rollout.play()
        logp = model(obs).gather(1, actions)
        loss = -(logp * (rewards - rewards.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
