import json
from collections import defaultdict
from pathlib import Path


class History:
    def __init__(self, path: Path):
        self.path = path
        self.values = defaultdict(list)

    def add(self, **metrics):
        for name, value in metrics.items():
            self.values[name].append(round(float(value), 6))

    def flush(self):
        self.path.write_text(json.dumps(self.values, indent=2))
