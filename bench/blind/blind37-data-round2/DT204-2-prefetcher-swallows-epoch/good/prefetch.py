import torch


class CudaPrefetcher:
    """Copies the next batch to the device on a side stream while the current one is used."""

    def __init__(self, loader, device):
        self.loader = loader
        self.device = device
        self.stream = torch.cuda.Stream(device)
        self.epoch = 0

    def __len__(self):
        return len(self.loader)

    def set_epoch(self, epoch):
        self.epoch = epoch
        self.loader.sampler.set_epoch(epoch)

    def _upload(self, batch):
        with torch.cuda.stream(self.stream):
            return [t.to(self.device, non_blocking=True) for t in batch]

    def __iter__(self):
        ahead = None
        for batch in self.loader:
            following = self._upload(batch)
            if ahead is not None:
                yield ahead
            torch.cuda.current_stream(self.device).wait_stream(self.stream)
            ahead = following
        if ahead is not None:
            yield ahead
