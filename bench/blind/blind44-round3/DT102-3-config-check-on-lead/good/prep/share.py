import torch.distributed as dist

from prep.manifest import checked
import sys


def manifest_for_all(path):
    box = [checked(path) if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(box, src=0)
    manifest, problems = box[0]
    if problems:
        if dist.get_rank() == 0:
            print("\n".join(problems), file=sys.stderr)
        sys.exit(2)
    return manifest
