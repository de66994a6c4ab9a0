import json
import pathlib


class Sink:
    def __init__(self, folder, rank):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.rank = rank

    def path(self, split):
        return self.folder / f"{split}.json"

    def write(self, split, rows):
        with self.path(split).open("w") as f:
            json.dump(rows, f)
