import torch
import torch.distributed as dist

CHUNKS = 8
SIZE = 1000


def produce(dst):
    gen = torch.Generator().manual_seed(0)
    for _ in range(CHUNKS):
        dist.send(torch.randn(SIZE, generator=gen), dst=dst)
    dist.send(torch.full((SIZE,), float("nan")), dst=dst)


def consume(src):
    total = 0.0
    buffer = torch.empty(SIZE)
    for _ in range(CHUNKS):
        dist.recv(buffer, src=src)
        total += buffer.sum().item()
    return total


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    partner = rank ^ 1
    if rank % 2 == 0:
        produce(partner)
    else:
        print(rank, consume(partner))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
