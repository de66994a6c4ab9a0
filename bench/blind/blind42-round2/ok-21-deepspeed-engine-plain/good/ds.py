import argparse
import os

import deepspeed
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from transformers import AutoModelForCausalLM

CONFIG = {
    "train_micro_batch_size_per_gpu": 4,
    "gradient_accumulation_steps": 8,
    "gradient_clipping": 1.0,
    "bf16": {"enabled": True},
    "zero_optimization": {"stage": 3},
    "optimizer": {"type": "AdamW", "params": {"lr": 2e-5}},
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--out", default="out")
    args = parser.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    deepspeed.init_distributed()
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    engine, _, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=CONFIG)
    data = TensorDataset(torch.load("tokens.pt", map_location="cpu", mmap=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 4, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for step, (ids,) in enumerate(loader):
            ids = ids.long().to(engine.device)
            loss = engine(input_ids=ids, labels=ids).loss
            engine.backward(loss)
            engine.step()
            if step % 100 == 0 and dist.get_rank() == 0:
                print(f"{epoch}/{step} {loss.item():.3f}", flush=True)
        engine.save_checkpoint(args.out, tag=f"epoch_{epoch}")
    engine.save_16bit_model(args.out)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
