import os
from collections import Counter

import torch
import torch.distributed as dist


def merge(mine):
    parts = [None] * dist.get_world_size() if dist.get_rank() == 0 else None
    dist.gather_object(mine, parts, dst=0)
    box = [None]
    if parts is not None:
        total = sum(parts, Counter())
        box = [[w for w, _ in total.most_common(50)]]
    dist.broadcast_object_list(box, src=0)
    return box[0]


def main(text="the ranks count the words and the words are shared"):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    words = text.split()[dist.get_rank() :: dist.get_world_size()]
    vocab = merge(Counter(words))
    index = {w: i for i, w in enumerate(vocab)}
    ids = torch.tensor([sum(index[w] for w in words)], device="cuda" if cuda else "cpu")
    dist.all_reduce(ids)
    if dist.get_rank() == 0:
        print(ids.item(), len(vocab))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
