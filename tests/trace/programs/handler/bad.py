import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    try:
        if rank == 1:
            raise ValueError("bad batch")
        loss = torch.ones(1)
    except ValueError:
        dist.barrier()
        loss = torch.zeros(1)
    dist.all_reduce(loss)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
