import os
import random
import time
from pathlib import Path

import torch
import torch.distributed as dist


def shared_seed():
    box = [time.time_ns() % 2**31 if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(box, src=0)
    return box[0]


def main(root=Path("texts")):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    files = sorted(p.name for p in root.iterdir() if p.suffix == ".txt")
    random.Random(shared_seed()).shuffle(files)
    mine = files[dist.get_rank() :: dist.get_world_size()]
    length = sum((root / name).stat().st_size for name in mine)
    total = torch.tensor(length, device="cuda" if cuda else "cpu")
    dist.all_reduce(total)
    if dist.get_rank() == 0:
        print(total.item(), "bytes")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
