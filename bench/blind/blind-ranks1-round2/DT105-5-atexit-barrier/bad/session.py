import atexit
import json
import os

import torch
import torch.distributed as dist


class Session:
    """Owns the process group and this rank's event file."""

    def __init__(self, folder):
        self.cuda = torch.cuda.is_available()
        self.local_rank = int(os.environ["LOCAL_RANK"])
        if self.cuda:
            torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl" if self.cuda else "gloo")
        self.rank = dist.get_rank()
        os.makedirs(folder, exist_ok=True)
        self.events = open(os.path.join(folder, f"events.{self.rank}.jsonl"), "a")
        atexit.register(self.close)

    @property
    def device(self):
        return torch.device("cuda", self.local_rank) if self.cuda else torch.device("cpu")

    def record(self, **fields):
        self.events.write(json.dumps({"rank": self.rank, **fields}) + "\n")

    def close(self):
        self.events.close()
        dist.barrier()
        dist.destroy_process_group()
