import pathlib

from flax import serialization


def write(folder, step, tree):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{step}.msgpack.part"
    part.write_bytes(serialization.to_bytes(tree))
    part.rename(folder / f"{step}.msgpack")


def read_latest(folder, template):
    found = sorted(pathlib.Path(folder).glob("*.msgpack"), key=lambda p: int(p.stem))
    return serialization.from_bytes(template, found[-1].read_bytes()) if found else template
