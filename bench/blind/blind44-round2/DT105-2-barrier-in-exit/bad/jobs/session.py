import os
import time

import torch
import torch.distributed as dist


class Session:
    """`with Session() as s:` opens the process group and closes it."""

    def __init__(self, backend=None):
        self.backend = backend or ("nccl" if torch.cuda.is_available() else "gloo")

    def __enter__(self):
        if self.backend == "nccl":
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group(self.backend)
        self.began = time.monotonic()
        self.device = torch.device("cuda", torch.cuda.current_device()) if self.backend == "nccl" else torch.device("cpu")
        return self

    def __exit__(self, kind, value, trace):
        dist.barrier()
        if dist.get_rank() == 0:
            print(f"finished after {time.monotonic() - self.began:.0f} s")
        dist.destroy_process_group()
        return False
