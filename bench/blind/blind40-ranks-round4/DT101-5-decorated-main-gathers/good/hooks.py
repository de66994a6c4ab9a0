import torch
from accelerate import Accelerator

accelerator = Accelerator()


class Monitor:
    def __init__(self, names):
        self.names = names
        self.buffers = {name: [] for name in names}

    def push(self, **values):
        for name in self.names:
            self.buffers[name].append(values[name].detach().reshape(1))

    def report(self, epoch):
        for name in self.names:
            everyone = accelerator.gather(torch.cat(self.buffers[name]))
            accelerator.print(f"epoch {epoch} {name}: mean {everyone.mean():.4f} max {everyone.max():.4f}")

    def clear(self):
        for buffer in self.buffers.values():
            buffer.clear()
