import json
import pathlib

import torch.distributed as dist


class Report:
    """Collects numbers and writes them at the end, from the main process."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.rows = []

    @property
    def writes(self):
        return not dist.is_initialized() or dist.get_rank() == 0

    def add(self, **numbers):
        self.rows.append(numbers)

    def close(self):
        if self.writes:
            self.path.write_text("\n".join(map(json.dumps, self.rows)))
