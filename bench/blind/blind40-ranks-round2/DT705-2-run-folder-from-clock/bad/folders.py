import datetime as dt
from pathlib import Path


class RunFolder:
    def __init__(self, root, name=None):
        stamp = name or dt.datetime.now().strftime("%Y%m%d-%H%M%S")
        self.path = Path(root) / stamp

    def checkpoint(self, epoch):
        return self.path / "checkpoints" / f"epoch{epoch:03d}"
