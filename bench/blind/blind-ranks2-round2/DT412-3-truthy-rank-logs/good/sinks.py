import csv
from pathlib import Path


class CsvSink:
    def __init__(self, path, columns):
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.stream = path.open("w", newline="")
        self.writer = csv.DictWriter(self.stream, columns)
        self.writer.writeheader()

    def write(self, **row):
        self.writer.writerow(row)
        self.stream.flush()

    def close(self):
        self.stream.close()


class NullSink:
    def write(self, **row): ...

    def close(self): ...


def make_sink(rank, path, columns):
    return CsvSink(path, columns) if rank == 0 else NullSink()
