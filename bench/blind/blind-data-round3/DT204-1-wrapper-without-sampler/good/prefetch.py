import torch


class Prefetched:
    """Moves the next batch to the device while this one is used."""

    def __init__(self, loader, device):
        self.loader, self.device = loader, device
        self.stream = torch.cuda.Stream() if device.type == "cuda" else None

    @property
    def sampler(self):
        return self.loader.sampler

    def __len__(self):
        return len(self.loader)

    def _moved(self, batch):
        if self.stream is None:
            return tuple(part.to(self.device) for part in batch)
        with torch.cuda.stream(self.stream):
            batch = tuple(part.to(self.device, non_blocking=True) for part in batch)
        torch.cuda.current_stream().wait_stream(self.stream)
        return batch

    def __iter__(self):
        for batch in self.loader:
            yield self._moved(batch)
