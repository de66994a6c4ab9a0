import pathlib


def chunks(folder, rank, world, size=1000):
    held = []
    for path in sorted(pathlib.Path(folder).glob("*.log"))[rank::world]:
        with path.open() as f:
            for line in f:
                held.append(len(line))
                if len(held) == size:
                    yield held
                    held = []
    if held:
        yield held
