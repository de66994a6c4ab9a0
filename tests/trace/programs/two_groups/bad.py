import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    first, second = dist.new_group([0, 1]), dist.new_group([0, 1])
    order = (first, second) if rank == 0 else (second, first)
    for group in order:
        dist.all_reduce(torch.ones(1), group=group)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
