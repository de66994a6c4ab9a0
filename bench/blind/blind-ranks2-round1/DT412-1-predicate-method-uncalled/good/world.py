import os

import torch
import torch.distributed as dist


class World:
    def __init__(self):
        self.cuda = torch.cuda.is_available()
        self.local_rank = int(os.environ["LOCAL_RANK"])
        if self.cuda:
            torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl" if self.cuda else "gloo")
        self.size = dist.get_world_size()

    @property
    def device(self):
        return torch.device("cuda", self.local_rank) if self.cuda else torch.device("cpu")

    def is_lead(self):
        return dist.get_rank() == 0

    def mean(self, value):
        tensor = torch.as_tensor(value, dtype=torch.float32, device=self.device).clone()
        dist.all_reduce(tensor)
        return tensor.item() / self.size

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        dist.destroy_process_group()
