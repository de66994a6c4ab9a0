import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    if dist.get_rank() % 2 == 0:
        print("even")
        turns = 2
    else:
        print("odd")
        turns = 2
    for _ in range(turns):
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
