import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    seen = [None] * world
    if rank == 0:
        dist.all_gather_object(seen, {"rank": rank})
    else:
        box = [rank]
        dist.broadcast_object_list(box, src=0)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
