import os

import torch
import torch.distributed as dist


class Runtime:
    def __init__(self):
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        self.rank = dist.get_rank()
        self.device = torch.device("cuda", self.local_rank)

    def wait(self):
        dist.barrier(device_ids=[self.rank])

    def close(self):
        dist.destroy_process_group()
