import os

import torch
import torch.distributed as dist


def rotate(block):
    rank, world = dist.get_rank(), dist.get_world_size()
    incoming = torch.empty_like(block)
    ops = [
        dist.P2POp(dist.isend, block, (rank + 1) % world),
        dist.P2POp(dist.irecv, incoming, (rank - 1) % world),
    ]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    return incoming


def ring_scores(queries, keys):
    scores = []
    block = keys
    for _ in range(dist.get_world_size()):
        scores.append(queries @ block.t())
        block = rotate(block)
    return torch.cat(scores, dim=1)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    queries = torch.randn(32, 16, generator=gen, device="cuda")
    keys = torch.randn(32, 16, generator=gen, device="cuda")
    print(dist.get_rank(), ring_scores(queries, keys).shape)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
