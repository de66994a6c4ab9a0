import torch.distributed as dist


def synchronise(place):
    if place == 0:
        dist.barrier()


def finish(where):
    synchronise(where)


def run(rank):
    print("running")
    finish(rank)


def main():
    dist.init_process_group("gloo")
    run(dist.get_rank())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
