import torch
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import fully_shard


class Engine:
    def __init__(self, env, width=64):
        self.env = env
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1)).to(env.device)
        for layer in self.model:
            if isinstance(layer, nn.Linear):
                fully_shard(layer)
        fully_shard(self.model)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.noise = torch.Generator(device=env.device).manual_seed(17 + env.rank)
        self.width = width

    def step(self):
        x = torch.randn(32, self.width, generator=self.noise, device=self.env.device)
        self.optimizer.zero_grad()
        self.model(x).pow(2).mean().backward()
        self.optimizer.step()

    def save(self, step):
        full = get_model_state_dict(self.model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
        if self.env.rank == 0:
            torch.save(full, f"step{step}.pt")
