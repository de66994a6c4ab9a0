import torch.distributed as dist

from gpu.bench import bandwidth
from gpu.setup import setup


def main():
    rank = setup()
    for size in (1, 16, 256):
        speed = bandwidth(size)
        if rank == 0:
            print(f"{size} MiB: {speed:.0f} MiB/s")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
