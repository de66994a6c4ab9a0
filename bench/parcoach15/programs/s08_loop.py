import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    left = 4 - dist.get_rank()
    while left > 0:
        dist.barrier()
        left -= 1
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
