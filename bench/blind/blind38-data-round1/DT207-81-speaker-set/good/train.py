"""Speaker embeddings: every rank trains on the utterances of its own speakers."""
import argparse
import csv
import os
from collections import defaultdict

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def read_manifest(path):
    with open(path, newline="") as handle:
        return [(row["speaker"], row["features"]) for row in csv.DictReader(handle)]


class SpeakerShard:
    """An endless stream of (speakers x utterances) batches over the speakers of this rank."""

    def __init__(self, rows, rank, world, per_batch=16, utterances=4, seed=0):
        by_speaker = defaultdict(list)
        for speaker, path in rows:
            by_speaker[speaker].append(path)
        speakers = sorted({speaker for speaker, _ in rows if len(by_speaker[speaker]) >= utterances})
        self.mine = speakers[rank::world]
        self.paths = by_speaker
        self.per_batch = per_batch
        self.utterances = utterances
        self.rng = torch.Generator().manual_seed(seed + rank)

    def __iter__(self):
        while True:
            yield self.draw()

    def draw(self):
        chosen = torch.randperm(len(self.mine), generator=self.rng)[: self.per_batch].tolist()
        groups = []
        for index in chosen:
            paths = self.paths[self.mine[index]]
            take = torch.randperm(len(paths), generator=self.rng)[: self.utterances].tolist()
            groups.append(torch.stack([torch.load(paths[i], map_location="cpu", weights_only=True)[:200] for i in take]))
        return torch.stack(groups)


class Encoder(nn.Module):
    def __init__(self, mel=80, hidden=256):
        super().__init__()
        self.rnn = nn.LSTM(mel, hidden, num_layers=3, batch_first=True)
        self.project = nn.Linear(hidden, hidden)

    def forward(self, x):
        _, (hidden, _) = self.rnn(x)
        return F.normalize(self.project(hidden[-1]), dim=-1)


def ge2e(embedding, speakers, utterances):
    grouped = embedding.view(speakers, utterances, -1)
    centroids = F.normalize(grouped.mean(dim=1), dim=-1)
    scores = 10.0 * embedding @ centroids.t() - 5.0
    return F.cross_entropy(scores, torch.arange(speakers, device=scores.device).repeat_interleave(utterances))


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--manifest", required=True)
    cli.add_argument("--steps", type=int, default=50_000)
    args = cli.parse_args()

    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)

    shard = SpeakerShard(read_manifest(args.manifest), dist.get_rank(), dist.get_world_size())
    model = DDP(Encoder().cuda(), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    stream = iter(shard)
    for step in range(args.steps):
        batch = next(stream).cuda(non_blocking=True)
        speakers, utterances = batch.shape[:2]
        loss = ge2e(model(batch.flatten(0, 1)), speakers, utterances)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 3.0)
        optimizer.step()
        if step % 500 == 0:
            mean = loss.detach().clone()
            dist.all_reduce(mean, op=dist.ReduceOp.AVG)
            if dist.get_rank() == 0:
                print(step, f"{mean.item():.4f}", flush=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "speaker.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
