import os
from pathlib import Path

import torch
import torch.distributed as dist


def write_report(path: Path, values):
    match dist.get_rank():
        case 0:
            pass
        case _:
            return None
    path.write_text("\n".join(f"{v:.6f}" for v in values))
    return path


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    values = torch.arange(4.0, device="cuda" if cuda else "cpu") + dist.get_rank()
    dist.all_reduce(values)
    written = write_report(Path("values.txt"), values.tolist())
    dist.barrier()
    if written:
        print(written)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
