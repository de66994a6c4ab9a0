import asyncio

import torch.distributed as dist

from aio.steps import prepare, total


async def run(rounds):
    rank, world = dist.get_rank(), dist.get_world_size()
    ahead = asyncio.create_task(prepare(rank))
    for i in range(rounds):
        x = await ahead
        if i + 1 < rounds:
            ahead = asyncio.create_task(prepare((i + 1) * world + rank))
        x = await total(x)
        if rank == 0:
            print(i, x.sum().item())


def main():
    dist.init_process_group("gloo")
    asyncio.run(run(5))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
