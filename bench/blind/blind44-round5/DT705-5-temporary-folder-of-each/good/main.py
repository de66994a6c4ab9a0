import pathlib

import torch
import torch.distributed as dist

from scratch.space import Space
from scratch.vocab import build, load, save


def main(corpus="corpus.txt"):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    box = [Space("vocab-") if rank == 0 else None]
    dist.broadcast_object_list(box, src=0)
    space = box[0]
    lines = pathlib.Path(corpus).read_text().splitlines()
    if rank == 0:
        save(space.file("vocab.json"), build(lines, 1000))
    dist.barrier()
    vocab = load(space.file("vocab.json"))
    known = torch.tensor([sum(w in vocab for line in lines[rank::world] for w in line.split())])
    dist.all_reduce(known)
    if rank == 0:
        print(known.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
