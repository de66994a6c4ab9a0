import csv
import os
from collections import defaultdict
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
import torchaudio
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset

MANIFEST = Path("manifests/train.tsv")


def read_manifest(path):
    by_speaker = defaultdict(list)
    with open(path, newline="") as handle:
        for row in csv.DictReader(handle, delimiter="\t"):
            by_speaker[row["speaker"]].append(row["wav"])
    return by_speaker


class SpeakerClips(Dataset):
    """Each rank owns some speakers, so that a speaker's clips stay in one host's page cache."""

    def __init__(self, by_speaker, speakers, per_speaker, samples=32_000):
        self.clips = [(wav, s) for s in speakers for wav in by_speaker[s][:per_speaker]]
        self.index = {s: i for i, s in enumerate(sorted(by_speaker))}
        self.samples = samples

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, i):
        wav, speaker = self.clips[i]
        audio, _ = torchaudio.load(wav)
        audio = F.pad(audio[0, : self.samples], (0, max(0, self.samples - audio.shape[1])))
        return audio, self.index[speaker]


def owned_speakers(by_speaker, rank, world):
    usable = {s for s, wavs in by_speaker.items() if len(wavs) >= 20}
    usable = sorted(usable)
    share = len(usable) // world
    return usable[rank * share : (rank + 1) * share]


class Encoder(nn.Module):
    def __init__(self, speakers):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 64, 400, 160), nn.ReLU(), nn.Conv1d(64, 128, 5, 2), nn.ReLU())
        self.out = nn.Linear(128, speakers)

    def forward(self, audio):
        return self.out(self.conv(audio.unsqueeze(1)).mean(dim=-1))


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(5)
    by_speaker = read_manifest(MANIFEST)
    clips = SpeakerClips(by_speaker, owned_speakers(by_speaker, rank, world), per_speaker=20)
    loader = DataLoader(clips, batch_size=32, shuffle=True, drop_last=True, num_workers=4)
    model = DDP(Encoder(len(by_speaker)).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    for epoch in range(10):
        for audio, target in loader:
            loss = F.cross_entropy(model(audio.cuda(non_blocking=True)), target.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if rank == 0:
            torch.save(model.module.state_dict(), f"encoder-{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
