import logging
import os
import time

import torch
import torch.distributed as dist


def run_name():
    box = [time.strftime("%Y-%m-%d_%H%M%S")]
    dist.broadcast_object_list(box, src=0)
    return box[0]


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    folder = os.path.join("/shared/runs", run_name())
    os.makedirs(folder, exist_ok=True)
    logging.basicConfig(filename=os.path.join(folder, f"rank{rank}.log"), level=logging.INFO)
    total = torch.ones(1, device="cuda" if cuda else "cpu")
    dist.all_reduce(total)
    logging.info("world of %d", int(total.item()))
    if rank == 0:
        with open(os.path.join(folder, "world.txt"), "w") as handle:
            handle.write(str(int(total.item())))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
