"""Downloads a sentencepiece model per node, then tokenises a shard per rank."""
import os
import urllib.request
from pathlib import Path

import sentencepiece as spm
import torch
import torch.distributed as dist

CACHE = Path("/tmp/spm_cache")


def fetch(url):
    target = CACHE / url.rsplit("/", 1)[-1]
    if int(os.environ["LOCAL_RANK"]) == 0 and not target.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(".part")
        urllib.request.urlretrieve(url, part)
        part.rename(target)
    dist.barrier()
    return target


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    processor = spm.SentencePieceProcessor(model_file=str(fetch(os.environ["SPM_URL"])))
    out = Path(os.environ.get("OUT", "tokens"))
    out.mkdir(parents=True, exist_ok=True)
    lines = Path(os.environ["CORPUS"]).read_text().splitlines()
    ids = [processor.encode(line) for line in lines[rank::world]]
    torch.save([torch.tensor(i, dtype=torch.int32) for i in ids], out / f"tokens_{rank:04d}.pt")
    count = torch.tensor(sum(map(len, ids)))
    dist.all_reduce(count)
    if rank == 0:
        (out / "count.txt").write_text(str(count.item()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
