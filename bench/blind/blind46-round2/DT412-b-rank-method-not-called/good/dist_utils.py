import os

import torch
import torch.distributed as dist


class World:
    """What this process is."""

    def __init__(self):
        cuda = torch.cuda.is_available()
        self.local_rank = int(os.environ["LOCAL_RANK"])
        if cuda:
            torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl" if cuda else "gloo")
        self.device = torch.device("cuda", self.local_rank) if cuda else torch.device("cpu")

    @property
    def rank(self):
        return dist.get_rank()

    @property
    def is_main(self):
        return self.rank == 0
