import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    loss, failed = torch.ones(1), torch.zeros(1)
    try:
        if rank == 1:
            raise ValueError("bad batch")
    except ValueError:
        failed.fill_(1)
    dist.all_reduce(failed, op=dist.ReduceOp.MAX)
    if failed.item():
        dist.barrier()
    dist.all_reduce(loss)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
