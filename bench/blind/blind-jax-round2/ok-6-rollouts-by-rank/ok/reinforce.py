import argparse

import torch
import torch.distributed as dist

from envs import Corridor


def episode(policy, env, limit=20):
    logps, rewards, seen = [], [], env.reset()
    for _ in range(limit):
        choice = torch.distributions.Categorical(logits=policy(torch.from_numpy(seen)))
        action = choice.sample()
        logps.append(choice.log_prob(action))
        seen, reward, done = env.step(int(action))
        rewards.append(reward)
        if done:
            break
    return torch.stack(logps), torch.tensor(rewards)


def average_gradients(model):
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()


@torch.no_grad()
def evaluate(policy, seed):
    env = Corridor(8, seed)
    return sum(episode(policy, env)[1].sum().item() for _ in range(5)) / 5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--updates", type=int, default=10)
    parser.add_argument("--episodes", type=int, default=4)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(args.seed + rank)
    policy = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2))
    for p in policy.parameters():
        dist.broadcast(p.data, src=0)
    opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
    env = Corridor(8, args.seed + 1000 * (rank + 1))
    for update in range(args.updates):
        opt.zero_grad()
        for _ in range(args.episodes):
            logps, rewards = episode(policy, env)
            returns = rewards.flip(0).cumsum(0).flip(0)
            (-(logps * (returns - returns.mean())).sum() / args.episodes).backward()
        average_gradients(policy)
        opt.step()
        if rank == 0 and update % 5 == 4:
            print(update, evaluate(policy, 77))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
