import os

import torch
import torch.distributed as dist


class Stream:
    """Receives blocks from the previous rank, one ahead of what is worked on."""

    def __init__(self, source, shape, count):
        self.source, self.count = source, count
        self.buffers = [torch.empty(shape), torch.empty(shape)]

    def __iter__(self):
        request = dist.irecv(self.buffers[0], src=self.source)
        for number in range(self.count):
            current = self.buffers[number % 2]
            if number + 1 < self.count:
                request = dist.irecv(self.buffers[(number + 1) % 2], src=self.source)
            yield current
            request.wait()


def produce(rank, count, shape, target):
    gen = torch.Generator().manual_seed(rank)
    for _ in range(count):
        dist.send(torch.randn(shape, generator=gen), dst=target)


def consume(stream, device):
    total = torch.zeros((), device=device)
    for block in stream:
        total += block.to(device).square().mean()
    return total


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    if world % 2:
        raise SystemExit("an even number of ranks is needed")
    count, shape = int(os.environ.get("BLOCKS", "16")), (64, 256)
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if torch.cuda.is_available() else torch.device("cpu")
    if rank % 2 == 0:
        produce(rank, count, shape, target=rank + 1)
        total = torch.zeros((), device=device)
    else:
        total = consume(Stream(rank - 1, shape, count), device)
    total = total.cpu()
    dist.all_reduce(total)
    if rank == 0:
        print("mean square", total.item() / (count * world / 2))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
