import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    batches = torch.tensor([3 + rank])
    dist.all_reduce(batches, op=dist.ReduceOp.MIN)
    for _ in range(int(batches)):
        dist.all_reduce(torch.ones(2))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
