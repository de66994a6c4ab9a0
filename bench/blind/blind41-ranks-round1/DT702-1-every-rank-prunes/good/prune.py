import re
import shutil
from pathlib import Path


class Keeper:
    def __init__(self, root, keep=3):
        self.root, self.keep = Path(root), keep

    def steps(self):
        found = []
        for entry in self.root.iterdir():
            match = re.fullmatch(r"step-(\d+)", entry.name)
            if match:
                found.append((int(match.group(1)), entry))
        return sorted(found)

    def prune(self):
        for _, folder in self.steps()[: -self.keep]:
            shutil.rmtree(folder)
