import json
from pathlib import Path


class History:
    def __init__(self, folder, rank):
        self.path = Path(folder) / "history.jsonl"
        self.rank = rank

    def append(self, **row):
        with self.path.open("a") as f:
            f.write(json.dumps(row) + "\n")
