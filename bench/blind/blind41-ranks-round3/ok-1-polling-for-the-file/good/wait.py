import os
import time

import torch
import torch.distributed as dist


def vocabulary(path, timeout=600):
    if dist.get_rank() == 0:
        with open("/shared/raw.txt") as handle:
            words = sorted(set(handle.read().split()))
        torch.save(words, path + ".part")
        os.replace(path + ".part", path)
    box = [os.path.exists(path)]
    dist.broadcast_object_list(box, src=0)
    end = time.monotonic() + timeout
    while not os.path.exists(path):
        if time.monotonic() > end:
            raise TimeoutError(path)
        time.sleep(1)
    return torch.load(path)


def main():
    dist.init_process_group("gloo")
    words = vocabulary("/shared/vocabulary.pt")
    count = torch.tensor(len(words))
    dist.all_reduce(count, op=dist.ReduceOp.MIN)
    if dist.get_rank() == 0:
        print(count.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
