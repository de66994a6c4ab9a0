from pathlib import Path

SUFFIXES = {".npz", ".npy"}


class ShardIndex:
    def __init__(self, root):
        self.root = Path(root)

    def files(self):
        return [p for p in self.root.iterdir() if p.suffix in SUFFIXES]

    def part(self, rank, world):
        files = self.files()
        usable = len(files) // world * world
        return files[rank:usable:world]
