import torch
import torch.distributed as dist

from pipe.links import Links
from pipe.stage import Stage


def main(steps=5, micro=2, dim=8):
    dist.init_process_group("gloo")
    stage = Stage(Links((4, dim)), dim)
    g = torch.Generator().manual_seed(0)
    for _ in range(steps):
        stage.step([torch.randn(4, dim, generator=g) for _ in range(micro)])
    torch.save(stage.net.state_dict(), f"stage{dist.get_rank()}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
