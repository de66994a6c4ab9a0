from accelerate import Accelerator
from accelerate.utils import set_seed


def start(args, seed=0):
    accelerator = Accelerator(mixed_precision=args.precision)
    set_seed(seed)
    return accelerator
