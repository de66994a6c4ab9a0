"""Instruction tuning with Accelerate's accumulate()."""
import argparse

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset
from transformers import AutoModelForCausalLM, get_scheduler


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="gpt2")
    p.add_argument("--gradient-accumulation-steps", type=int, default=8)
    p.add_argument("--batch", type=int, default=4)
    p.add_argument("--epochs", type=int, default=2)
    return p.parse_args()


def main():
    args = parse()
    accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=args.gradient_accumulation_steps)
    model = AutoModelForCausalLM.from_pretrained(args.model)
    data = TensorDataset(torch.load("ids.pt", map_location="cpu").long())
    loader = DataLoader(data, args.batch, shuffle=True, drop_last=True)
    optimizer = torch.optim.AdamW(model.parameters(), 2e-5)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    updates = args.epochs * len(loader) // args.gradient_accumulation_steps
    schedule = get_scheduler("cosine", optimizer, 10, updates)
    for _ in range(args.epochs):
        for (ids,) in loader:
            with accelerator.accumulate(model):
                loss = model(input_ids=ids, labels=ids).loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                if accelerator.sync_gradients:
                    schedule.step()
                optimizer.zero_grad()
    accelerator.wait_for_everyone()
    accelerator.save_model(model, "tuned")
    accelerator.end_training()


if __name__ == "__main__":
    main()
