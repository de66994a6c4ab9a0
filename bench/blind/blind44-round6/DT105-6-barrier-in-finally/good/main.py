import collections

import torch.distributed as dist

from jobs.words import Words


def main():
    dist.init_process_group("gloo")
    rows = Words("part-{}.txt").run()
    if dist.get_rank() == 0:
        print(sum(rows, collections.Counter()).most_common(10))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
