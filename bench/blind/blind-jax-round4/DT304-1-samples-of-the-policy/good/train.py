import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed

from policy import TinyPolicy, reward, sample


def advantages(scores, group):
    grouped = scores.view(-1, group)
    return ((grouped - grouped.mean(1, keepdim=True)) / (grouped.std(1, keepdim=True) + 1e-4)).reshape(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--group", type=int, default=4)
    args = parser.parse_args()
    accelerator = Accelerator()
    set_seed(args.seed, device_specific=True)
    policy = TinyPolicy()
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    policy, optimizer = accelerator.prepare(policy, optimizer)
    prompts = torch.arange(16, device=accelerator.device).view(4, 4).repeat_interleave(args.group, 0)
    for step in range(args.steps):
        tokens = sample(accelerator.unwrap_model(policy), prompts, 8)
        advantage = advantages(reward(tokens), args.group)
        logp = policy(tokens[:, :-1]).log_softmax(-1).gather(2, tokens[:, 1:, None])[..., 0]
        loss = -(logp[:, 3:].sum(1) * advantage).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        mean = accelerator.reduce(reward(tokens).mean(), reduction="mean")
        accelerator.print(step, mean.item())
    accelerator.end_training()


if __name__ == "__main__":
    main()
