import torch


class DevicePrefetcher:
    """Copies the next batch to the GPU on a side stream while the current one is used."""

    def __init__(self, loader, device):
        self.loader = loader
        self.device = device
        self.stream = torch.cuda.Stream(device)
        self.epoch = 0

    def __len__(self):
        return len(self.loader)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def _put(self, batch):
        with torch.cuda.stream(self.stream):
            return [t.to(self.device, non_blocking=True) for t in batch]

    def __iter__(self):
        source = iter(self.loader)
        ahead = next(source, None)
        ahead = self._put(ahead) if ahead is not None else None
        while ahead is not None:
            torch.cuda.current_stream().wait_stream(self.stream)
            now = ahead
            following = next(source, None)
            ahead = self._put(following) if following is not None else None
            yield now
