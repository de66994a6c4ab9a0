import heapq
import re
import shutil
from pathlib import Path

NAME = re.compile(r"epoch_(\d+)$")


def number(path: Path) -> int:
    return int(m.group(1)) if (m := NAME.search(path.name)) else -1


def prune(folder: Path, keep: int):
    found = [p for p in folder.iterdir() if p.is_dir() and number(p) >= 0]
    newest = set(heapq.nlargest(keep, found, key=number))
    for old in found:
        if old not in newest:
            shutil.rmtree(old)
