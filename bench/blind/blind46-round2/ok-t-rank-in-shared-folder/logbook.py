import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
import torch.distributed as dist


@dataclass
class Entry:
    step: int
    values: dict = field(default_factory=dict)


class Logbook:
    def __init__(self, root):
        run = os.environ.get("TORCHELASTIC_RUN_ID", "local")
        self.folder = Path(root, run)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path = self.folder.joinpath(f"rank-{dist.get_rank():05d}.jsonl")

    def write(self, entry):
        with self.path.open("a") as f:
            f.write(json.dumps(asdict(entry)) + "\n")


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    book = Logbook("logs")
    for step in range(4):
        value = torch.rand(3, device=device)
        dist.all_reduce(value)
        book.write(Entry(step, {"mean": value.mean().item(), "rank": dist.get_rank()}))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
