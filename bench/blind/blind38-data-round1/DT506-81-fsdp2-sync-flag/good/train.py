"""FSDP2 fine-tuning of a tagger with gradient accumulation; reduce-scatter only where the window closes."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Tagger(nn.Module):
    def __init__(self, vocabulary=8000, width=512, depth=6, tags=19):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 8, 4 * width, batch_first=True, norm_first=True) for _ in range(depth)
        )
        self.tags = nn.Linear(width, tags)

    def forward(self, tokens):
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.tags(x)


class Runner:
    def __init__(self, model, optimizer, window, device):
        self.model = model
        self.optimizer = optimizer
        self.window = window
        self.device = device

    def closes(self, index):
        return (index + 1) % self.window == 0

    def epoch(self, loader):
        usable = len(loader) // self.window * self.window
        total = torch.zeros((), device=self.device)
        for index, (tokens, tags) in enumerate(loader):
            if index >= usable:
                break
            self.model.set_requires_gradient_sync(self.closes(index))
            scores = self.model(tokens.to(self.device, non_blocking=True))
            loss = nn.functional.cross_entropy(scores.flatten(0, 1), tags.to(self.device).flatten())
            (loss / self.window).backward()
            total += loss.detach() / usable
            if self.closes(index):
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)
        dist.all_reduce(total, op=dist.ReduceOp.AVG)
        return total.item()


def sentences(rows=20_000, length=64):
    g = torch.Generator().manual_seed(2)
    tokens = torch.randint(8000, (rows, length), generator=g)
    return TensorDataset(tokens, tokens % 19)


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    torch.manual_seed(31)

    model = Tagger().to(device)
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)

    rows = sentences()
    sampler = DistributedSampler(rows, shuffle=True, drop_last=True)
    loader = DataLoader(rows, batch_size=8, sampler=sampler, drop_last=True, pin_memory=True)
    runner = Runner(model, optimizer, window=4, device=device)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        mean = runner.epoch(loader)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: {mean:.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
