import torch
import torch.distributed as dist

from env.normal import RunningMean
from env.pole import Pole


def episode(env, policy, baseline, most):
    state, done, steps = env.reset(), False, 0
    advantages = []
    for steps in range(most):
        state, reward, done = env.step(policy(state))
        advantages.append(reward - baseline.update(reward))
        if done:
            state = env.reset()
    return advantages


def main(episodes=10):
    dist.init_process_group("gloo")
    env, baseline = Pole(seed=dist.get_rank()), RunningMean()
    weights = torch.tensor([-1.0, -0.5])
    policy = lambda s: 1.0 if float(weights @ torch.tensor(s)) > 0 else -1.0
    for _ in range(episodes):
        episode(env, policy, baseline, most=200)
    if dist.get_rank() == 0:
        print(baseline.total.tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
