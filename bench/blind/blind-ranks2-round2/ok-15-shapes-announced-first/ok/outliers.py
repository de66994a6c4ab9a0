import os

import torch
import torch.distributed as dist

from ragged import broadcast_tensors, gather_rows


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("cpu:gloo,cuda:nccl" if cuda else "gloo")
    rank = dist.get_rank()
    model = {}
    if rank == 0:
        g = torch.Generator().manual_seed(0)
        model = {"mean": torch.randn(4, generator=g), "scale": torch.rand(4, generator=g) + 0.5}
    model = broadcast_tensors(model, device)
    rows = torch.randn(200, 4, generator=torch.Generator().manual_seed(50 + rank)).to(device)
    distance = ((rows - model["mean"]) / model["scale"]).norm(dim=1)
    outliers = gather_rows(rows[distance > 3.0])
    if rank == 0:
        print(f"{len(outliers)} outliers")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
