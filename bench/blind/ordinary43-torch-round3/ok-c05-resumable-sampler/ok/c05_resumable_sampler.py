"""Stateful sampler that resumes within an epoch; checkpoint with RNG per rank."""
import glob
import os
import re

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, Sampler


class ResumableSampler(Sampler):
    def __init__(self, n, batch, rank, world, seed):
        self.n, self.batch, self.rank, self.world, self.seed = n, batch, rank, world, seed
        self.epoch = self.start = 0

    def __len__(self):
        return self.n // (self.batch * self.world)

    def __iter__(self):
        rng = np.random.default_rng([self.seed, self.epoch])
        order = rng.permutation(self.n)
        span = self.batch * self.world
        for b in range(self.start, len(self)):
            base = b * span + self.rank * self.batch
            yield order[base : base + self.batch].tolist()
        self.start = 0

    def state_dict(self, step_in_epoch):
        return {"epoch": self.epoch, "start": step_in_epoch}

    def load_state_dict(self, state):
        self.epoch, self.start = state["epoch"], state["start"]


class Memmap(Dataset):
    def __init__(self, path, block):
        self.path, self.block, self.array = path, block, None
        self.n = os.path.getsize(path) // 2 // block

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if self.array is None:
            self.array = np.memmap(self.path, dtype=np.uint16, mode="r")
        return torch.from_numpy(self.array[i * self.block : (i + 1) * self.block].astype(np.int64))


def newest(folder):
    found = sorted(glob.glob(f"{folder}/step_*"), key=lambda p: int(re.search(r"step_(\d+)", p)[1]))
    return found[-1] if found else None


def main(folder="resume", steps=1000):
    dist.init_process_group("nccl")
    rank, world, local = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(1337 + rank)
    data = Memmap("train.bin", 256)
    sampler = ResumableSampler(len(data), 8, rank, world, 1337)
    loader = DataLoader(data, batch_sampler=sampler, num_workers=2)
    net = torch.nn.Sequential(torch.nn.Embedding(50304, 64), torch.nn.Dropout(0.1), torch.nn.Linear(64, 50304)).cuda()
    model = DDP(net, device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters())
    step = 0
    choice = [newest(folder) if rank == 0 else None]
    dist.broadcast_object_list(choice, src=0)
    if choice[0]:
        shared = torch.load(f"{choice[0]}/shared.pt", map_location=f"cuda:{local}")
        own = torch.load(f"{choice[0]}/rank{rank}.pt", map_location="cpu")
        net.load_state_dict(shared["model"])
        optimizer.load_state_dict(shared["optimizer"])
        sampler.load_state_dict(shared["sampler"])
        step = shared["step"]
        torch.set_rng_state(own["rng"])
        torch.cuda.set_rng_state(own["cuda"])
    while step < steps:
        in_epoch = sampler.start
        for tokens in loader:
            tokens = tokens.cuda()
            loss = torch.nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            in_epoch += 1
            if step % 200 == 0:
                target = f"{folder}/step_{step}"
                os.makedirs(target, exist_ok=True)
                torch.save({"rng": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state()}, f"{target}/rank{rank}.pt")
                if rank == 0:
                    torch.save({"model": net.state_dict(), "optimizer": optimizer.state_dict(),
                                "sampler": sampler.state_dict(in_epoch), "step": step}, f"{target}/shared.pt")
                dist.barrier()
            if step >= steps:
                break
        sampler.epoch += 1
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
