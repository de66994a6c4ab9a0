import torch
import torch.distributed as dist

from stages import First, Last


def batches(n=8, size=16, dim=16):
    gen = torch.Generator().manual_seed(3)
    for _ in range(n):
        x = torch.randn(size, dim, generator=gen)
        yield x, x[:, :4].sum(dim=1, keepdim=True)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    rank, last = dist.get_rank(), dist.get_world_size() - 1
    if rank == 0:
        stage = First(peer=last)
        for x, y in batches():
            stage.evaluate(x, y)
    elif rank == last:
        stage = Last(peer=0)
        total = 0.0
        for x, _ in batches():
            out, _ = stage.evaluate(len(x), with_loss=False)
            total += out.abs().mean().item()
        print(f"mean size of the outputs {total / 8:.4f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
