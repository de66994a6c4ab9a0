import torch
import torch.distributed as dist

STOP = -1.0


class Master:
    def __init__(self, world):
        self.workers = list(range(1, world))
        self.world = world

    def run(self, points):
        best, where = float("inf"), None
        for first in range(0, len(points), len(self.workers)):
            asked = list(zip(self.workers, points[first : first + len(self.workers)]))
            for worker, point in asked:
                dist.send(torch.tensor([point]), dst=worker)
            for worker, point in asked:
                answer = torch.zeros(1)
                dist.recv(answer, src=worker)
                if answer.item() < best:
                    best, where = answer.item(), point
        return best, where

    def stop(self):
        for worker in range(1, self.world):
            dist.send(torch.tensor([STOP]), dst=worker)


def work(objective):
    order = torch.zeros(1)
    while True:
        dist.recv(order, src=0)
        if order.item() == STOP:
            return
        dist.send(objective(order), dst=0)


def rosenbrock_slice(x):
    return (1 - x).square() + 100 * (0.5 - x.square()).square()


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        master = Master(world)
        best, where = master.run(torch.linspace(0, 2, 60).tolist())
        master.stop()
        print(f"best {best:.5f} at {where:.3f}")
    else:
        work(rosenbrock_slice)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
