import pathlib

from flax import serialization


def newest(folder):
    found = sorted(pathlib.Path(folder).glob("*.msgpack"))
    return found[-1] if found else None


def read(path, template):
    return serialization.from_bytes(template, path.read_bytes())


def write(folder, step, state):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    (pathlib.Path(folder) / f"{step:06d}.msgpack").write_bytes(serialization.to_bytes(state))
