import json
import os
import tempfile
from pathlib import Path


def store(path: Path, table: dict) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w") as file:
        json.dump(table, file)
    os.replace(name, path)


def fetch(path: Path) -> dict:
    with path.open() as file:
        return json.load(file)
