import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    seen = [None] * world
    dist.all_gather_object(seen, {"rank": rank, "words": "x" * (rank + 1)})
    assert [item["rank"] for item in seen] == list(range(world))
    box = [rank]
    dist.broadcast_object_list(box, src=1)
    assert box == [1]
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
