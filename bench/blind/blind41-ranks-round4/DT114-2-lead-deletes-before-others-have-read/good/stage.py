import os
import shutil

import torch
import torch.distributed as dist

STAGE = "/shared/stage"


def load_part():
    part = torch.load(os.path.join(STAGE, f"part{dist.get_rank()}.pt"), map_location="cpu")
    dist.barrier()
    if dist.get_rank() == 0:
        shutil.rmtree(STAGE)
    return part


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    part = load_part()
    total = part.float().sum().cuda()
    dist.all_reduce(total)
    if dist.get_rank() == 0:
        print(total.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
