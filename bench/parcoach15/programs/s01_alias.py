import torch.distributed as dist


class State:
    def __init__(self):
        self.active = False


def main():
    dist.init_process_group("gloo")
    state = State()
    other = state
    other.active = dist.get_rank() == 0
    if state.active:
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
