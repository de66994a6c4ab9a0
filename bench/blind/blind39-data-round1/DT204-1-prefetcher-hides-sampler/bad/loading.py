import torch
from torch.utils.data import DataLoader, DistributedSampler


class DevicePrefetcher:
    """Copies the next batch to the device while the current one is used."""

    def __init__(self, loader, device):
        self.loader = loader
        self.device = device
        self.stream = torch.cuda.Stream() if device.type == "cuda" else None

    def __len__(self):
        return len(self.loader)

    def _move(self, batch):
        if self.stream is None:
            return [t.to(self.device) for t in batch]
        with torch.cuda.stream(self.stream):
            return [t.to(self.device, non_blocking=True) for t in batch]

    def __iter__(self):
        pending = None
        for batch in self.loader:
            ready, pending = pending, self._move(batch)
            if ready is not None:
                yield ready
        if pending is not None:
            yield pending


def build(dataset, batch_size, device):
    sampler = DistributedSampler(dataset, shuffle=True, drop_last=True, seed=7)
    loader = DataLoader(
        dataset, batch_size=batch_size, sampler=sampler, num_workers=2, pin_memory=device.type == "cuda", drop_last=True
    )
    return DevicePrefetcher(loader, device)
