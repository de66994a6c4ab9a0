import torch.distributed as dist

from exp.naming import run_dir


class Experiment:
    def __init__(self, root, name):
        box = [run_dir(root, name)] if dist.get_rank() == 0 else [None]
        dist.broadcast_object_list(box, src=0)
        self.dir = box[0]
        self.dir.mkdir(parents=True, exist_ok=True)

    def checkpoint(self, step):
        return self.dir / "ckpt" / str(step)
