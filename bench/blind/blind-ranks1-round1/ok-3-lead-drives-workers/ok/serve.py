import torch
import torch.distributed as dist

from service import Scorer


def requests(n=4):
    g = torch.Generator().manual_seed(3)
    for i in range(n):
        yield torch.randn(2 + i, 8, generator=g)


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    scorer = Scorer(8, rank, world)
    if rank == 0:
        for request in requests():
            print(scorer.ask(request).tolist())
        scorer.stop()
    else:
        scorer.follow()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
