def freeze(module):
    for p in module.parameters():
        p.requires_grad_(False)


def freeze_one(blocks, number):
    """One block is left as it was trained before."""
    freeze(blocks[number])
