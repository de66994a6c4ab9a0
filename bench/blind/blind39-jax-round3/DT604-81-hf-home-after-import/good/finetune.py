import argparse
import os

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, get_cosine_schedule_with_warmup


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="EleutherAI/pythia-160m")
    parser.add_argument("--texts", default="texts.txt")
    parser.add_argument("--epochs", type=int, default=1)
    return parser.parse_args()


def encode(tokenizer, path):
    with open(path) as handle:
        lines = [line.strip() for line in handle if line.strip()]
    return [{"input_ids": tokenizer(line, truncation=True, max_length=512)["input_ids"]} for line in lines]


def main():
    args = parse_args()
    accelerator = Accelerator(mixed_precision="bf16")
    set_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(args.model, cache_dir="/scratch/hf/hub")
    model = AutoModelForCausalLM.from_pretrained(args.model, cache_dir="/scratch/hf/hub")
    tokenizer.pad_token = tokenizer.eos_token
    collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
    loader = DataLoader(encode(tokenizer, args.texts), batch_size=8, shuffle=True, drop_last=True, collate_fn=collator)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    scheduler = get_cosine_schedule_with_warmup(optimizer, 100, args.epochs * len(loader))
    for _ in range(args.epochs):
        model.train()
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
    accelerator.wait_for_everyone()
    accelerator.unwrap_model(model).save_pretrained(
        "out", is_main_process=accelerator.is_main_process, save_function=accelerator.save
    )
    accelerator.end_training()


if __name__ == "__main__":
    main()
