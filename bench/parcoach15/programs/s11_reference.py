import torch.distributed as dist


def fill(box):
    box["first"] = dist.get_rank() == 0


def main():
    dist.init_process_group("gloo")
    box = {"first": True}
    fill(box)
    if box["first"]:
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
