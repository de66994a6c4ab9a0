import os

import torch
import torch.distributed as dist
import wandb


class Tracker:
    def __init__(self, project, rank):
        mode = "online" if rank == 0 else "disabled"
        self.run = wandb.init(project=project, mode=mode)

    def __enter__(self):
        return self.run

    def __exit__(self, *exc):
        self.run.finish()


def main(steps=5):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    with Tracker("toy", dist.get_rank()) as run:
        for step in range(steps):
            value = torch.rand(1, device="cuda" if cuda else "cpu")
            dist.all_reduce(value)
            run.log({"value": value.item() / dist.get_world_size()}, step=step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
