import csv
import pathlib

import torch.distributed as dist


class Parts:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        if self.rank == 0:
            self.folder.mkdir(parents=True, exist_ok=True)
        dist.barrier()

    def part(self, rank):
        return self.folder / f"part-{rank:04d}.csv"

    @property
    def whole(self):
        return self.folder / "all.csv"

    def write(self, rows):
        with self.part(self.rank).open("w", newline="") as f:
            csv.writer(f).writerows(rows)

    def merge(self):
        dist.barrier()
        if self.rank == 0:
            with self.whole.open("w") as out:
                for rank in range(self.world):
                    out.write(self.part(rank).read_text())
                    self.part(rank).unlink()
        dist.barrier()
        with self.whole.open(newline="") as f:
            return list(csv.reader(f))
