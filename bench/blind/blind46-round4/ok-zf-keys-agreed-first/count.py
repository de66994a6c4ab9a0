import os
from collections import Counter

import torch
import torch.distributed as dist

from metrics import reduce_table


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    text = "a rank that counts its own words and tells the others".split()
    counts = Counter(w for w in text[dist.get_rank() :: dist.get_world_size()])
    total = reduce_table({k: float(v) for k, v in counts.items()}, device)
    if dist.get_rank() == 0:
        print(total)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
