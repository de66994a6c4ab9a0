import torch
import torch.distributed as dist


class Synchroniser:
    def __init__(self, source: int = 0):
        self.source = source

    def __call__(self, module: torch.nn.Module) -> torch.nn.Module:
        for tensor in (*module.parameters(), *module.buffers()):
            dist.broadcast(tensor, self.source)
        return module
