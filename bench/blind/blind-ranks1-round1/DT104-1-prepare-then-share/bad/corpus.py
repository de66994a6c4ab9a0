from collections import Counter
from pathlib import Path

import torch
import torch.distributed as dist

SENTENCES = ["the cat sat", "a dog ran home", "the dog sat", "a bird sang", "the bird ran"] * 40


def write_corpus(path):
    Path(path).write_text("\n".join(SENTENCES))


def count_words(path, size):
    words = Counter(w for line in Path(path).read_text().splitlines() for w in line.split())
    return {w: i + 1 for i, (w, _) in enumerate(words.most_common(size - 1))}


def shared_vocabulary(path, size, is_lead):
    """The lead writes the corpus and counts it, the others receive the vocabulary."""
    box = [None]
    if is_lead:
        write_corpus(path)
        dist.barrier()  # the corpus is on disk
        box[0] = count_words(path, size)
        dist.broadcast_object_list(box, src=0)
    else:
        dist.broadcast_object_list(box, src=0)
        dist.barrier()  # the corpus is on disk
    return box[0]


def encode(path, vocabulary, length=4):
    rows = []
    for line in Path(path).read_text().splitlines():
        ids = [vocabulary.get(w, 0) for w in line.split()][:length]
        rows.append(ids + [0] * (length - len(ids)))
    return torch.tensor(rows)
