import pathlib

import torch


class Keep:
    def __init__(self, folder, newest, lead):
        self.folder, self.newest, self.lead = pathlib.Path(folder), newest, lead

    def due(self, step):
        return step % 50 == 0

    def save(self, step, net):
        if not self.lead:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        torch.save(net.state_dict(), self.folder / f"{step:08d}.pt")
        for old in sorted(self.folder.glob("*.pt"))[: -self.newest]:
            old.unlink()
