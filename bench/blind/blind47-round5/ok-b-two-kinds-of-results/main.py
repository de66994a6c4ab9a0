import torch
import torch.distributed as dist
from torch import nn

from outcome import Bad, Good, agree


def measure(path):
    try:
        rows = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError) as problem:
        return Bad(str(problem))
    return Good(rows.float().mean().item())


def main():
    dist.init_process_group("gloo")
    match agree(measure(f"part{dist.get_rank()}.pt")):
        case Bad(reason):
            print(reason)
        case Good(value):
            shift = torch.tensor(value)
            dist.all_reduce(shift)
            print(shift.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
