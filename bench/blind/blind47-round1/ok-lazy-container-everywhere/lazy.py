from functools import cached_property

import torch
import torch.distributed as dist


class Comm:
    def __init__(self):
        dist.init_process_group("gloo")
        self.rank = dist.get_rank()

    @cached_property
    def control(self):
        return dist.new_group(backend="gloo")

    def any(self, flag: bool) -> bool:
        box = torch.tensor(int(flag))
        dist.all_reduce(box, op=dist.ReduceOp.MAX, group=self.control)
        return bool(box.item())

    def close(self):
        dist.destroy_process_group()
