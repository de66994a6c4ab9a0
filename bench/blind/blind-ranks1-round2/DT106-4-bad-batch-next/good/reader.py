import json
from pathlib import Path

import torch


class RecordError(ValueError):
    pass


def parse(line, width):
    record = json.loads(line)
    values = record.get("values", ())
    if len(values) != width:
        raise RecordError(f"{len(values)} values instead of {width}")
    return torch.tensor(values), torch.tensor([float(record["label"])])


class Lines:
    def __init__(self, folder, rank, steps):
        self.lines = (Path(folder) / f"{rank}.jsonl").read_text().splitlines()[:steps]
        if len(self.lines) < steps:
            raise RecordError(f"rank {rank} has {len(self.lines)} records, {steps} are needed")

    def __iter__(self):
        return iter(self.lines)
