import collections

from jobs.once import Job


class Words(Job):
    def __init__(self, pattern):
        self.pattern, self.file = pattern, None

    def prepare(self, rank):
        self.file = open(self.pattern.format(rank), encoding="utf-8")

    def work(self, rank):
        return collections.Counter(w for line in self.file for w in line.split())

    def close(self):
        if self.file is not None:
            self.file.close()
