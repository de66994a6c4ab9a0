import random


def read_lengths(path):
    with open(path) as f:
        return [len(line.split()) for line in f]


def pack(lengths, budget):
    packs, current, used = [], [], 0
    for i, n in enumerate(lengths):
        if current and used + n > budget:
            packs.append(current)
            current, used = [], 0
        current.append(min(n, budget))
        used += n
    if current:
        packs.append(current)
    return packs


def shuffled(packs, epoch):
    packs = list(packs)
    random.Random(epoch).shuffle(packs)
    return packs
