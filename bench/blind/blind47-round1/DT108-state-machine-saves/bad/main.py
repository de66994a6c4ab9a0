import os
from typing import NamedTuple

import torch
import torch.distributed as dist

from engine import Engine
from machine import Machine


class Env(NamedTuple):
    rank: int
    device: torch.device


def main():
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    env = Env(dist.get_rank(), device)
    Machine(Engine(env), env, limit=200, every=50).run()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
