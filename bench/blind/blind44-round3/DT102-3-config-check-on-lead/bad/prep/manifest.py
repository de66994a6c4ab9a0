import json
import sys
from dataclasses import dataclass


@dataclass
class Manifest:
    name: str
    files: list

    @classmethod
    def read(cls, path):
        with open(path) as f:
            raw = json.load(f)
        return cls(raw["name"], raw["files"])

    def problems(self):
        if not self.files:
            yield "no files"
        seen = set()
        for name in self.files:
            if name in seen:
                yield f"{name} is listed twice"
            seen.add(name)


def checked(path):
    manifest = Manifest.read(path)
    problems = list(manifest.problems())
    if problems:
        print("\n".join(problems), file=sys.stderr)
        sys.exit(2)
    return manifest
