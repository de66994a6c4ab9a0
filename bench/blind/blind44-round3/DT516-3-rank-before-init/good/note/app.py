import os

import torch
import torch.distributed as dist

from note.log import get_logger


class App:
    def __init__(self):
        self.device = self.connect()
        self.log = get_logger("app")

    def connect(self):
        cuda = torch.cuda.is_available()
        if cuda:
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl" if cuda else "gloo")
        return torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")

    def run(self):
        x = torch.ones(4, device=self.device)
        dist.all_reduce(x)
        self.log.info("sum %s", x.tolist())
        dist.destroy_process_group()
