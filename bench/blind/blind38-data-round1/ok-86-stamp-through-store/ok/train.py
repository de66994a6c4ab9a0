"""The run's name comes from rank 0 through a store; data are unpacked once per node onto its own disk."""
import os
import tarfile
from datetime import datetime, timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

SHARED = Path("/shared/runs")
SCRATCH = Path("/local_scratch/glyphs")


class Glyphs(Dataset):
    def __init__(self, folder):
        self.files = sorted(folder.glob("*.pt"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        item = torch.load(self.files[index], map_location="cpu", weights_only=True)
        return item["pixels"].float(), int(item["label"])


def run_directory(store, rank):
    if rank == 0:
        name = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
        (SHARED / name).mkdir(parents=True)
        store.set("run-name", name)
    return SHARED / store.get("run-name").decode()


def unpack(archive, local):
    if local == 0 and not SCRATCH.exists():
        SCRATCH.mkdir(parents=True)
        with tarfile.open(archive) as tar:
            tar.extractall(SCRATCH, filter="data")
    dist.barrier()


def main():
    rank, local, world = (int(os.environ[k]) for k in ("RANK", "LOCAL_RANK", "WORLD_SIZE"))
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device, timeout=timedelta(minutes=30))
    store = dist.TCPStore(os.environ["MASTER_ADDR"], 29777, world, is_master=rank == 0)
    folder = run_directory(store, rank)
    unpack("/shared/glyphs.tar", local)

    torch.manual_seed(0)
    rows = Glyphs(SCRATCH)
    sampler = DistributedSampler(rows, seed=5, drop_last=True)
    loader = DataLoader(rows, 128, sampler=sampler, num_workers=4, drop_last=True)
    net = nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 256), nn.ReLU(), nn.Linear(256, 62)).to(device)
    model = DDP(net, device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for pixels, labels in loader:
            loss = nn.functional.cross_entropy(model(pixels.to(device)), labels.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        (folder / f"log-{rank}.txt").open("a").write(f"{epoch} {loss.item():.4f}\n")
        if rank == 0:
            torch.save({"epoch": epoch, "net": net.state_dict()}, folder / "last.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
