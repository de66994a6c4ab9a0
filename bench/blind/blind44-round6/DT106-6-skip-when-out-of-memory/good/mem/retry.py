import gc

import torch


def freed():
    gc.collect()
    torch.cuda.empty_cache()


def guarded(fn, *args):
    """Says how large the batch was that did not fit."""
    try:
        return fn(*args)
    except RuntimeError as error:
        if "out of memory" in str(error):
            freed()
            print("a batch of", tuple(args[0].shape), "did not fit")
        raise
