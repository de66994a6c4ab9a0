import os
import time

import torch
import torch.distributed as dist


def patient(fn, times=5):
    for attempt in range(times):
        try:
            return fn()
        except OSError as error:
            if attempt == times - 1:
                raise
            print("again:", error)
            time.sleep(2**attempt)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    part = patient(lambda: torch.load(f"/shared/parts/{dist.get_rank():04d}.pt", map_location="cpu"))
    total = part.sum().cuda()
    dist.all_reduce(total)
    if dist.get_rank() == 0:
        print(total.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
