import os

import torch
import torch.distributed as dist

SERVER = 0


class Server:
    """Hands out numbers of work items; a negative one says that nothing is left."""

    def __init__(self, world, items):
        self.world, self.items = world, items

    def run(self):
        request, answer = torch.zeros(1, dtype=torch.long), torch.zeros(1, dtype=torch.long)
        for first in range(0, self.items, self.world - 1):
            for worker in range(1, self.world):
                dist.recv(request, src=worker)
                answer.fill_(first + int(request) - 1)
                dist.send(answer, dst=worker)


class Worker:
    def __init__(self, rank, world, items):
        self.rank, self.world, self.items = rank, world, items
        self.total = 0.0

    def run(self):
        request, answer = torch.tensor([self.rank]), torch.zeros(1, dtype=torch.long)
        for _ in range(0, self.items, self.world - 1):
            dist.send(request, dst=SERVER)
            dist.recv(answer, src=SERVER)
            self.total += self.work(int(answer))

    @staticmethod
    def work(number):
        g = torch.Generator().manual_seed(number)
        return torch.randn(100, 100, generator=g).matrix_power(2).trace().item()


def main(items=24):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    total = torch.zeros(1)
    if rank == SERVER:
        Server(world, items).run()
    else:
        worker = Worker(rank, world, items)
        worker.run()
        total += worker.total
    dist.reduce(total, dst=SERVER)
    if rank == SERVER:
        print(f"sum over all workers {total.item():.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(os.environ.get("ITEMS", 24)))
