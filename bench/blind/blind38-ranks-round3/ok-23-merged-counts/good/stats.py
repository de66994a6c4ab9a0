import argparse
from collections import Counter, defaultdict

import torch
import torch.distributed as dist


def own_lines(path, rank, world):
    with open(path, encoding="utf-8") as handle:
        for number, line in enumerate(handle):
            if number % world == rank:
                yield line.rstrip("\n").split("\t")


class Table:
    def __init__(self):
        self.sums, self.counts = defaultdict(float), Counter()

    def add(self, label, text):
        self.sums[label] += len(text)
        self.counts[label] += 1

    def labels(self):
        """The labels of all ranks, in one order."""
        every = [None] * dist.get_world_size()
        dist.all_gather_object(every, sorted(self.counts))
        return sorted({label for part in every for label in part})

    def means(self):
        found = {}
        for label in self.labels():
            pair = torch.tensor([self.sums[label], float(self.counts[label])])
            dist.all_reduce(pair)
            found[label] = (pair[0] / pair[1]).item()
        return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    args = parser.parse_args()
    dist.init_process_group("gloo")
    table = Table()
    for label, text in own_lines(args.path, dist.get_rank(), dist.get_world_size()):
        table.add(label, text)
    means = table.means()
    if dist.get_rank() == 0:
        for label, mean in sorted(means.items(), key=lambda item: -item[1]):
            print(f"{label}\t{mean:.1f}")
    longest = max(means, key=means.get)
    seen = torch.tensor(float(table.counts[longest]))
    dist.reduce(seen, dst=0)
    if dist.get_rank() == 0:
        print("longest", longest, int(seen))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
