import os
import shutil
from pathlib import Path

import torch
import torch.distributed as dist

SCRATCH = Path("/tmp/dataset-cache")


def stage(source: Path) -> Path:
    target = SCRATCH / source.name
    if int(os.environ["LOCAL_RANK"]) == 0 and not target.exists():
        SCRATCH.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(".partial")
        shutil.copy(source, partial)
        partial.rename(target)
    dist.barrier()
    return target


def main(source=Path("/datasets/train.pt")):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rows = torch.load(stage(source), map_location="cpu", weights_only=True)
    mine = rows[dist.get_rank() :: dist.get_world_size()]
    total = mine.double().sum()
    if cuda:
        total = total.cuda()
    dist.all_reduce(total)
    if dist.get_rank() == 0:
        print("sum", total.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
