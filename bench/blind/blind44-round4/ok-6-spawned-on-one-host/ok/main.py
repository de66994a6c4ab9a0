import os
import tempfile

import torch
import torch.multiprocessing as mp

from spawn.worker import worker


def main():
    world = torch.cuda.device_count()
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        mp.spawn(worker, args=(world, store, {"epochs": 3, "batch": 32}), nprocs=world, join=True)


if __name__ == "__main__":
    main()
