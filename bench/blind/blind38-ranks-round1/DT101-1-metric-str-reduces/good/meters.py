from collections import defaultdict

import torch


class Meters:
    """Running means of everything that is handed to update(); shown as the mean over the job."""

    def __init__(self, accelerator):
        self.accelerator = accelerator
        self.totals = defaultdict(float)
        self.count = 0

    def update(self, **values):
        for name, value in values.items():
            self.totals[name] = self.totals[name] + value.detach()
        self.count += 1

    def means(self):
        stacked = torch.stack([self.totals[name] / self.count for name in sorted(self.totals)])
        stacked = self.accelerator.reduce(stacked, reduction="mean")
        return dict(zip(sorted(self.totals), stacked.tolist()))

    def __str__(self):
        return "  ".join(f"{name} {value:.4f}" for name, value in self.means().items())
