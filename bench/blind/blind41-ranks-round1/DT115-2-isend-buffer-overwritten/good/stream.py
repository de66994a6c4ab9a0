import os

import torch
import torch.distributed as dist


class Producer:
    def __init__(self, consumer, size):
        self.consumer = consumer
        self.buffer = torch.empty(size)

    def run(self, turns):
        for turn in range(turns):
            self.buffer.normal_(mean=float(turn))
            work = dist.isend(self.buffer, dst=self.consumer)
            work.wait()


class Consumer:
    def __init__(self, producer, size):
        self.producer = producer
        self.buffer = torch.empty(size)
        self.means = []

    def run(self, turns):
        for _ in range(turns):
            dist.recv(self.buffer, src=self.producer)
            self.means.append(self.buffer.mean().item())


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    turns = int(os.environ.get("TURNS", "20"))
    torch.manual_seed(0)
    if rank == 0:
        Producer(consumer=1, size=1_000_000).run(turns)
    elif rank == 1:
        consumer = Consumer(producer=0, size=1_000_000)
        consumer.run(turns)
        print(consumer.means)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
