import os
from datetime import timedelta

import torch
import torch.distributed as dist

from chain import mean_later, settle


def publish(store, path, build):
    """Rank 0 builds the file and says so; the others wait for the word."""
    if dist.get_rank() == 0:
        torch.save(build(), path)
        store.set("published", path)
    else:
        store.wait(["published"], timedelta(minutes=5))
    return torch.load(path, map_location="cpu", weights_only=True)


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo", rank=rank, world_size=world)
    store = dist.PrefixStore("publish", dist.distributed_c10d._get_default_store())
    codebook = publish(store, "codebook.pt", lambda: torch.randn(8, 4, generator=torch.Generator().manual_seed(1)))
    rows = torch.randn(64, 4, generator=torch.Generator().manual_seed(10 + rank)).to(device)
    codebook = codebook.to(device)
    for _ in range(5):
        nearest = torch.cdist(rows, codebook).argmin(dim=1)
        one_hot = torch.nn.functional.one_hot(nearest, len(codebook)).float()
        counts, sums = one_hot.sum(0), one_hot.T @ rows
        counts, sums = settle([mean_later(counts), mean_later(sums)])
        codebook = torch.where(counts[:, None] > 0, sums / counts.clamp_min(1e-6)[:, None], codebook)
    if rank == 0:
        print(f"codebook norm {codebook.norm().item():.3f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
