import torch.distributed as dist

from exp.naming import run_dir


class Experiment:
    def __init__(self, root, name):
        self.dir = run_dir(root, name)
        self.dir.mkdir(parents=True, exist_ok=True)

    def checkpoint(self, step):
        return self.dir / "ckpt" / str(step)
