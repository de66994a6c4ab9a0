import torch
import torch.distributed as dist

from convert.job import Job


def main():
    dist.init_process_group("gloo")
    mean = Job("/data/features").run(dim=256)
    if dist.get_rank() == 0:
        torch.save(mean, "mean.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
