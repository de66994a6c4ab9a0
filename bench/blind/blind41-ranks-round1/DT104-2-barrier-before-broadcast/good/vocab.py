import collections

import torch.distributed as dist


def count_words(path):
    counts = collections.Counter()
    with open(path, encoding="utf-8") as handle:
        for line in handle:
            counts.update(line.split())
    return [word for word, _ in counts.most_common(4000)]


def shared_vocab(path):
    box = [None]
    if dist.get_rank() == 0:
        box = [count_words(path)]
        dist.broadcast_object_list(box, src=0)
        dist.barrier()
    else:
        dist.broadcast_object_list(box, src=0)
        dist.barrier()
    return {word: i for i, word in enumerate(box[0])}
