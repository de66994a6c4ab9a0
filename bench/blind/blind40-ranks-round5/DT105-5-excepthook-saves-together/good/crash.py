import sys
import traceback

import torch
import torch.distributed as dist


class CrashDump:
    def __init__(self, net, path):
        self.net, self.path = net, path
        self.previous = sys.excepthook
        sys.excepthook = self

    def __call__(self, kind, value, trace):
        traceback.print_exception(kind, value, trace)
        torch.save(self.net.state_dict(), f"{self.path}.{dist.get_rank()}")
        self.previous(kind, value, trace)
