import os

import torch
import torch.distributed as dist

from experts import ExpertParallel


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    layer = ExpertParallel(16).to(device).eval()
    tokens = torch.randn(40, 16, generator=torch.Generator().manual_seed(100 + rank)).to(device)
    norms = []
    for _ in range(3):
        tokens = tokens + layer(tokens)
        norm = tokens.norm()
        dist.all_reduce(norm)
        norms.append(norm.item() / dist.get_world_size())
    if rank == 0:
        print([round(n, 3) for n in norms])
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
