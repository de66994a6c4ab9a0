import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    numbers = [rank, dist.get_world_size(), 0]
    numbers[2] = rank + 1
    if numbers[1] > 1:
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
