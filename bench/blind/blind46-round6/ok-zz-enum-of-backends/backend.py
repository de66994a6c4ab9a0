import enum
import os

import torch
import torch.distributed as dist


class Backend(enum.Enum):
    NCCL = "nccl"
    GLOO = "gloo"

    @classmethod
    def pick(cls):
        return cls.NCCL if torch.cuda.is_available() else cls.GLOO

    @property
    def needs_device(self):
        return self is Backend.NCCL

    def start(self):
        if self.needs_device:
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group(self.value)
        if self.needs_device:
            dist.barrier()
        return torch.device("cuda", int(os.environ["LOCAL_RANK"])) if self.needs_device else torch.device("cpu")


def main():
    device = Backend.pick().start()
    x = torch.ones(1, device=device)
    dist.all_reduce(x)
    match Backend.pick():
        case Backend.NCCL:
            torch.cuda.synchronize()
        case Backend.GLOO | _:
            pass
    if dist.get_rank() == 0:
        print(x.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
