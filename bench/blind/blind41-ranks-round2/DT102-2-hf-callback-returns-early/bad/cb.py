import torch
import torch.distributed as dist
from transformers import TrainerCallback


class TokensPerSecond(TrainerCallback):
    def __init__(self):
        self.tokens = 0
        self.seconds = 1e-6

    def count(self, tokens, seconds):
        self.tokens += tokens
        self.seconds += seconds

    def on_epoch_end(self, args, state, control, **kwargs):
        if not state.is_world_process_zero:
            return control
        total = torch.tensor([self.tokens / self.seconds], device=args.device)
        dist.all_reduce(total)
        print(f"{total.item():.0f} tokens/s on {dist.get_world_size()} processes")
        return control
