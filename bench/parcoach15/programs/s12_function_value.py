import torch.distributed as dist


def lead():
    print("leading")
    dist.barrier()


def follow():
    dist.barrier()


def main():
    dist.init_process_group("gloo")
    action = lead if dist.get_rank() == 0 else follow
    action()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
