import abc

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Callback(abc.ABC):
    def on_epoch_end(self, trainer, epoch): ...


class WarmRestart(Callback):
    def __init__(self, every, lr):
        self.every, self.lr = every, lr

    def on_epoch_end(self, trainer, epoch):
        if (epoch + 1) % self.every == 0:
            for group in trainer.optimizer.param_groups:
                group["lr"] = self.lr


class Preview(Callback):
    """Prints what the model makes of a fixed prompt."""

    def __init__(self, prompt, length=8):
        self.prompt, self.length = prompt, length

    def on_epoch_end(self, trainer, epoch):
        with FSDP.summon_full_params(trainer.model, writeback=False):
            tokens = self._greedy(trainer.model.module)
        if trainer.is_lead:
            print(f"epoch {epoch}: {tokens}", flush=True)

    @torch.no_grad()
    def _greedy(self, module):
        tokens = list(self.prompt)
        for _ in range(self.length):
            logits = module(torch.tensor([tokens], device=next(module.parameters()).device))
            tokens.append(int(logits[0, -1].argmax()))
        return tokens
