import torch
import torch.distributed as dist


class ChannelMeter:
    """A sum per channel; each channel reduces on a group of its own."""

    def __init__(self, channels, device):
        members = list(range(dist.get_world_size()))
        self.device = device
        self.groups = {name: dist.new_group(members) for name in sorted(channels)}
        self.values = {}

    def add(self, channel, value):
        self.values[channel] = self.values.get(channel, 0.0) + float(value)

    def flush(self, extra=()):
        totals = {}
        for channel in sorted(set(self.groups) - set(extra)):
            total = torch.tensor([self.values.get(channel, 0.0)], device=self.device)
            dist.all_reduce(total, group=self.groups[channel])
            totals[channel] = total.item()
        self.values.clear()
        return totals
