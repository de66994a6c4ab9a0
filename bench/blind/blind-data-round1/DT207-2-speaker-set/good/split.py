import csv


def read_rows(path):
    with open(path, newline="") as handle:
        return list(csv.DictReader(handle))


def speakers_of(rows):
    return sorted({row["speaker"] for row in rows})


def rows_for(rows, rank, world):
    """Whole speakers stay on one rank, as the cache is per speaker."""
    names = speakers_of(rows)
    names = names[: len(names) - len(names) % world]
    mine = set(names[rank::world])
    return [row for row in rows if row["speaker"] in mine]
