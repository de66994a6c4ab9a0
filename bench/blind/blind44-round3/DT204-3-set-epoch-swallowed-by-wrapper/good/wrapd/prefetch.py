import contextlib

import torch


class Prefetcher:
    """Moves the next batch to the device while this one is used."""

    def __init__(self, loader, device):
        self.loader, self.device = loader, device
        self.stream = torch.cuda.Stream() if device.type == "cuda" else None

    def __len__(self):
        return len(self.loader)

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def moved(self, batch):
        with torch.cuda.stream(self.stream) if self.stream else contextlib.nullcontext():
            return [t.to(self.device, non_blocking=True) for t in batch]

    def __iter__(self):
        ahead = None
        for batch in self.loader:
            current, ahead = ahead, self.moved(batch)
            if current is not None:
                yield self.ready(current)
        if ahead is not None:
            yield self.ready(ahead)

    def ready(self, batch):
        if self.stream is not None:
            torch.cuda.current_stream().wait_stream(self.stream)
        return batch
