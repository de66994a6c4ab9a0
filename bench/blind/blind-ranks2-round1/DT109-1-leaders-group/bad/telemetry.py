import torch
import torch.distributed as dist


class NodeTelemetry:
    """Averages a few numbers over the hosts: one process of each host speaks for it."""

    def __init__(self, local_rank, local_size, device):
        self.device = device
        self.local_rank = local_rank
        leaders = list(range(0, dist.get_world_size(), local_size))
        self.hosts = len(leaders)
        self.group = dist.new_group(leaders) if local_rank == 0 else None
        self.totals = torch.zeros(2, device=device)

    def add(self, samples, seconds):
        self.totals += torch.tensor([float(samples), float(seconds)], device=self.device)

    def flush(self, step):
        if self.local_rank == 0:
            dist.all_reduce(self.totals, group=self.group)
            if dist.get_rank() == 0:
                samples, seconds = self.totals.tolist()
                print(f"step {step}: {samples / max(seconds / self.hosts, 1e-6):.0f} samples/s on {self.hosts} hosts")
        self.totals.zero_()
