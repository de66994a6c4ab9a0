import collections
import glob
import os

import torch
import torch.distributed as dist


def count(paths):
    counter = collections.Counter()
    for path in paths:
        with open(path) as handle:
            counter.update(handle.read().split())
    return counter


def shared_vocabulary(counter):
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, sorted(counter))
    return sorted(set().union(*parts))


def main(folder="/shared/text"):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    mine = sorted(glob.glob(f"{folder}/*.txt"))[dist.get_rank() :: dist.get_world_size()]
    counter = count(mine)
    words = sorted(counter)
    totals = torch.tensor([counter[word] for word in words], device="cuda")
    dist.all_reduce(totals)
    if dist.get_rank() == 0:
        torch.save(dict(zip(words, totals.tolist())), "counts.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
