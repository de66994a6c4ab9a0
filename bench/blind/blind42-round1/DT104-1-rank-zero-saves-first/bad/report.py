"""Epoch report: loss over all ranks and which ranks saw how many samples."""
import torch
import torch.distributed as dist


class EpochReport:
    def __init__(self):
        self.loss = torch.zeros(1)
        self.samples = torch.zeros(1)

    def add(self, loss, n):
        self.loss += loss.detach() * n
        self.samples += n

    def _counts(self):
        seen = [torch.zeros(1) for _ in range(dist.get_world_size())]
        dist.all_gather(seen, self.samples)
        return torch.cat(seen)

    def close(self):
        if dist.get_rank() == 0:
            dist.all_reduce(self.loss)
            counts = self._counts()
            print(f"loss {(self.loss / counts.sum()).item():.4f} per rank {counts.int().tolist()}", flush=True)
        else:
            self._counts()
            dist.all_reduce(self.loss)
        self.loss.zero_()
        self.samples.zero_()
