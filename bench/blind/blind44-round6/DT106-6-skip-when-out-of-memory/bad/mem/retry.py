import gc

import torch


def freed():
    gc.collect()
    torch.cuda.empty_cache()


def guarded(fn, *args):
    """None where the batch was too large for this GPU."""
    try:
        return fn(*args)
    except RuntimeError as error:
        if "out of memory" not in str(error):
            raise
        freed()
    return None
