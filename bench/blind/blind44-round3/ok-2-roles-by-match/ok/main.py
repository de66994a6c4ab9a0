import enum

import torch
import torch.distributed as dist

from roles.work import coordinator, worker


class Role(enum.Enum):
    COORDINATOR = "coordinator"
    WORKER = "worker"

    @classmethod
    def of(cls, rank):
        return cls.COORDINATOR if rank == 0 else cls.WORKER


def main(turns=4, shape=(5,)):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    match Role.of(rank):
        case Role.COORDINATOR:
            jobs = list(torch.randn(turns * (world - 1), *shape, generator=torch.Generator().manual_seed(0)))
            print(coordinator(jobs, world).item())
        case Role.WORKER:
            worker(turns, shape)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
