import gzip
import itertools
import json

import torch
import torch.nn as nn
from accelerate import Accelerator


def documents(path):
    with gzip.open(path, "rt") as handle:
        for line in handle:
            yield json.loads(line)["ids"]


def share(stream, accelerator):
    yield from itertools.islice(stream, accelerator.process_index, None, accelerator.num_processes)


class Statistics:
    def __init__(self, vocab, device):
        self.counts = torch.zeros(vocab, device=device)

    def add(self, ids):
        self.counts += torch.bincount(ids, minlength=len(self.counts)).float()


def main(path="docs.jsonl.gz", vocab=32000):
    accelerator = Accelerator()
    statistics = Statistics(vocab, accelerator.device)
    for number, ids in enumerate(share(documents(path), accelerator)):
        tokens = torch.tensor(ids, device=accelerator.device)
        statistics.add(tokens)
        length = accelerator.reduce(torch.tensor(float(len(tokens)), device=accelerator.device), reduction="mean")
        if number % 1000 == 0:
            accelerator.print(number, "mean length", length.item())
    counts = accelerator.reduce(statistics.counts, reduction="sum")
    if accelerator.is_main_process:
        torch.save(counts.cpu(), "unigrams.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
