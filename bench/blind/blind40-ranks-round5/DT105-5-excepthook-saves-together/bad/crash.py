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
        dist.barrier()
        if dist.get_rank() == 0:
            torch.save(self.net.state_dict(), self.path)
        self.previous(kind, value, trace)
