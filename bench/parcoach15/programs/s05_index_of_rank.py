import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    numbers = [0, dist.get_world_size(), 0]
    numbers[2] = dist.get_rank()
    if numbers[2] > 1:
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
