import torch.distributed as dist

LEADER = False


def prepare():
    global LEADER
    dist.init_process_group("gloo")
    LEADER = dist.get_rank() == 0


def finish():
    if LEADER:
        dist.barrier()
    dist.destroy_process_group()


def main():
    prepare()
    finish()


if __name__ == "__main__":
    main()
