import os
import shutil

import torch
import torch.distributed as dist


def stage(source, target):
    local_rank = int(os.environ["LOCAL_RANK"])
    try:
        if local_rank == 0 and not os.path.exists(target):
            shutil.copyfile(source, target + ".part")
            os.replace(target + ".part", target)
    finally:
        dist.barrier()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    stage("/shared/weights.pt", "/tmp/weights.pt")
    weights = torch.load("/tmp/weights.pt", map_location="cpu")
    total = torch.tensor(float(sum(w.sum() for w in weights.values())), device="cuda")
    lowest, highest = total.clone(), total.clone()
    dist.all_reduce(lowest, op=dist.ReduceOp.MIN)
    dist.all_reduce(highest, op=dist.ReduceOp.MAX)
    assert lowest.item() == highest.item()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
