import torch


class Walk:
    """A random walk that ends when it leaves the corridor."""

    def __init__(self, seed, width=3.0):
        self.generator = torch.Generator().manual_seed(seed)
        self.width = width

    def episode(self, policy, limit=50):
        state, steps = torch.zeros(1), []
        for _ in range(limit):
            with torch.no_grad():
                drift = policy(state)
            state = state + drift + torch.randn(1, generator=self.generator)
            steps.append(state)
            if state.abs().item() > self.width:
                break
        return torch.stack(steps)

    def collect(self, policy, budget):
        """Episodes until the budget of steps is used up."""
        episodes, used = [], 0
        while used < budget:
            episode = self.episode(policy)
            used += len(episode)
            episodes.append(episode)
        return episodes
