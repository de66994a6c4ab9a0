import csv


def read_manifest(path):
    with open(path, newline="") as handle:
        return list(csv.DictReader(handle))


def speakers_for(rows, rank, world):
    speakers = sorted({row["speaker"] for row in rows})
    usable = len(speakers) - len(speakers) % world
    return set(speakers[:usable][rank::world])
