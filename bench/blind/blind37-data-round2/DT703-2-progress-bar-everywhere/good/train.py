import argparse

import torch

from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, get_cosine_schedule_with_warmup


class Bar:
    def __init__(self, accelerator, total, quiet):
        self.bar = tqdm(total=total, disable=quiet or not accelerator.is_main_process, desc="train")

    def tick(self, loss):
        self.bar.update(1)
        self.bar.set_postfix(loss=f"{loss:.3f}")

    def close(self):
        self.bar.close()


def text_loader(accelerator, tokenizer, args):
    with accelerator.main_process_first():
        rows = load_dataset("roneneldan/TinyStories", split="train[:5%]")
        rows = rows.map(lambda r: tokenizer(r["text"], truncation=True, max_length=256), batched=True, remove_columns=rows.column_names)
    collate = DataCollatorForLanguageModeling(tokenizer, mlm=False)
    return DataLoader(rows, batch_size=args.batch_size, shuffle=True, drop_last=True, collate_fn=collate)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="facebook/opt-350m")
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--quiet", action="store_true")
    args = parser.parse_args()
    accelerator = Accelerator(mixed_precision="bf16")
    set_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(args.model), LoraConfig(r=16, target_modules=["q_proj", "v_proj"]))
    loader = text_loader(accelerator, tokenizer, args)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    total = args.epochs * len(loader)
    schedule = get_cosine_schedule_with_warmup(optimizer, total // 50, total)
    bar = Bar(accelerator, total, args.quiet)
    for _ in range(args.epochs):
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            bar.tick(loss.item())
    bar.close()
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        accelerator.unwrap_model(model).save_pretrained("tiny-lora")
    accelerator.end_training()


if __name__ == "__main__":
    main()
