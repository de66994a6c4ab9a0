import pathlib


def unique(lists):
    names = set()
    for path in lists:
        names.update(pathlib.Path(path).read_text().split())
    return list(names)


def slice_of(names, rank, world):
    per = len(names) // world
    return names[rank * per : (rank + 1) * per]
