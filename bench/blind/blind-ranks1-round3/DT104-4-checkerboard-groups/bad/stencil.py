import torch
import torch.distributed as dist

from grid import Grid


def relax(field, rounds=4):
    for _ in range(rounds):
        field = 0.5 * field + 0.25 * (field.roll(1, 0) + field.roll(1, 1))
    return field


def main(steps=5):
    dist.init_process_group("gloo")
    grid = Grid()
    field = torch.rand(16, 16, generator=torch.Generator().manual_seed(dist.get_rank()))
    for step in range(steps):
        field = relax(field)
        energy = grid.total(field.square().sum())
        if dist.get_rank() == 0:
            print(f"step {step}: {energy.item():.4f}")
        field = field / energy.sqrt()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
