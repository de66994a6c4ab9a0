import torch
import torch.distributed as dist


class PeriodicSaver:
    """Saves every `period` samples; the shards of all ranks are written together."""

    def __init__(self, root, period, rank):
        self.root, self.period, self.rank = root, period, rank
        self.last = 0

    def _write(self, samples, model, opt):
        torch.save({"opt": opt.state_dict(), "samples": samples}, f"{self.root}/opt-{self.rank}.pt")
        dist.barrier()
        if self.rank == 0:
            torch.save(model.module.state_dict(), f"{self.root}/model.pt")
        self.last = samples

    def maybe(self, samples, model, opt):
        if samples - self.last >= self.period:
            self._write(samples, model, opt)
