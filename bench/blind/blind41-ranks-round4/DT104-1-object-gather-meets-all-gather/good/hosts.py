import os
import socket

import torch
import torch.distributed as dist


def roll_call():
    mine = {"host": socket.gethostname(), "rank": dist.get_rank()}
    found = [None] * dist.get_world_size()
    if dist.get_rank() == 0:
        dist.gather_object(mine, found, dst=0)
        return found
    dist.gather_object(mine, None, dst=0)
    return None


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    present = roll_call()
    if present is not None:
        for one in present:
            print(one["rank"], one["host"])
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
