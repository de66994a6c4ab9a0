import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    groups = [dist.new_group([member]) for member in range(world)]
    dist.all_reduce(torch.ones(1), group=groups[rank])
    dist.all_reduce(torch.ones(1))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
