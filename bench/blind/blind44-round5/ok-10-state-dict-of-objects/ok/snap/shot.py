import pathlib

import torch
import torch.distributed as dist


class Snapshot:
    def __init__(self, folder, **parts):
        self.folder, self.parts = pathlib.Path(folder), parts
        self.rank = dist.get_rank()

    def own(self):
        return self.folder / f"rng.{self.rank:03d}.pt"

    def save(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        torch.save(torch.get_rng_state(), self.own())
        if self.rank == 0:
            states = {name: part.state_dict() for name, part in self.parts.items()}
            torch.save(states, self.folder / "common.tmp")
            (self.folder / "common.tmp").rename(self.folder / "common.pt")
        dist.barrier()

    def load(self, device):
        path = self.folder / "common.pt"
        found = [path.exists() if self.rank == 0 else None]
        dist.broadcast_object_list(found, src=0)
        if not found[0]:
            return False
        states = torch.load(path, map_location=device, weights_only=True)
        for name, part in self.parts.items():
            part.load_state_dict(states[name])
        torch.set_rng_state(torch.load(self.own(), map_location="cpu", weights_only=True))
        return True
