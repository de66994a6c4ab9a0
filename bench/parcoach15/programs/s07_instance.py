import torch.distributed as dist


class Switch:
    def __init__(self, on):
        self.on = on


def main():
    dist.init_process_group("gloo")
    printing = Switch(dist.get_rank() == 0)
    training = Switch(dist.get_world_size() > 1)
    if printing.on:
        print("started")
    if training.on:
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
