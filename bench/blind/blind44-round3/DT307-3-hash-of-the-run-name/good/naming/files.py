import random


def own_files(files, seed, rank, world):
    order = sorted(files)
    random.Random(seed).shuffle(order)
    keep = len(order) - len(order) % world
    return order[rank:keep:world]
