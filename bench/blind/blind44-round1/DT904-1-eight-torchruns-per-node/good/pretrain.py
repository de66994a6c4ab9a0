import os

import torch
import torch.distributed as dist


def main():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    x = torch.ones(1, device="cuda")
    dist.all_reduce(x)
    if dist.get_rank() == 0:
        print("ranks", int(x.item()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
