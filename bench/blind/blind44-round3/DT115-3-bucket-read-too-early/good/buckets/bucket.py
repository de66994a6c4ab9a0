import torch
import torch.distributed as dist


class Bucket:
    def __init__(self, params):
        self.params = params
        self.flat = torch.zeros(sum(p.numel() for p in params))
        self.work = None

    def launch(self):
        torch.cat([p.grad.flatten() for p in self.params], out=self.flat)
        self.work = dist.all_reduce(self.flat, async_op=True)

    def unpack(self, scale):
        parts = self.flat.split([p.numel() for p in self.params])
        for p, part in zip(self.params, parts):
            p.grad.copy_(part.view_as(p)).mul_(scale)

    def wait(self):
        self.work.wait()
