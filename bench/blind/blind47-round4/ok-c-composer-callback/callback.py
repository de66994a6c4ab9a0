import json

import torch
from composer import Callback, Logger, State
from composer.utils import dist


class GradientSpread(Callback):
    def __init__(self, path="spread.jsonl"):
        self.path = path

    def batch_end(self, state: State, logger: Logger) -> None:
        local = torch.stack([p.detach().norm() for p in state.model.parameters()]).norm().reshape(1)
        values = torch.cat(dist.all_gather(local))
        if dist.get_global_rank() == 0:
            with open(self.path, "a") as file:
                file.write(json.dumps(values.tolist()) + "\n")
