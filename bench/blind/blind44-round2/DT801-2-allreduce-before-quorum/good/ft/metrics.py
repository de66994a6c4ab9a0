import torch


class GroupMean:
    def __init__(self, manager):
        self.manager = manager

    def __call__(self, value):
        box = torch.tensor([float(value)])
        self.manager.allreduce(box).wait()
        return box.item()
