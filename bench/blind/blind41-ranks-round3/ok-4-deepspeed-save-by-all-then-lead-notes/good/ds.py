import json

import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 10,
    "gradient_accumulation_steps": 2,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}},
    "zero_optimization": {"stage": 2},
}


def main():
    deepspeed.init_distributed()
    torch.manual_seed(0)
    net = nn.Linear(20, 5)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(2000, 20, generator=gen), torch.randint(0, 5, (2000,), generator=gen))
    engine, _, loader, _ = deepspeed.initialize(model=net, model_parameters=net.parameters(), training_data=data, config=CONFIG)
    for epoch in range(3):
        loader.data_sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.cross_entropy(engine(x.to(engine.device)), y.to(engine.device))
            engine.backward(loss)
            engine.step()
        mean = loss.detach()
        dist.all_reduce(mean, op=dist.ReduceOp.SUM)
        engine.save_checkpoint("ckpt", tag=f"epoch{epoch}", client_state={"epoch": epoch})
        if engine.global_rank == 0:
            with open("ckpt/notes.jsonl", "a") as handle:
                handle.write(json.dumps({"epoch": epoch, "loss": mean.item() / dist.get_world_size()}) + "\n")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
