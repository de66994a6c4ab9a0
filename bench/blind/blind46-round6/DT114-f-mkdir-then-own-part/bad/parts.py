import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist


class Parts:
    def __init__(self, folder: Path):
        self.folder = folder
        if dist.get_rank() == 0:
            folder.mkdir(parents=True, exist_ok=True)

    def write(self, name, array):
        np.save(self.folder / f"{name}.{dist.get_rank():04d}.npy", array)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    parts = Parts(Path("features"))
    x = torch.randn(100, 4, generator=torch.Generator().manual_seed(dist.get_rank()))
    parts.write("x", x.numpy())
    dist.barrier()
    if dist.get_rank() == 0:
        print(len(list(Path("features").iterdir())), "parts")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
