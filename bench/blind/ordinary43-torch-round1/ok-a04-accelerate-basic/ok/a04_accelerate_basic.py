"""Accelerate with gather_for_metrics, save_state and tracker."""
import argparse
import math
import os

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import ProjectConfiguration, set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, get_scheduler

log = get_logger(__name__)


def build_loaders(accelerator, tokenizer, batch):
    raw = load_dataset("glue", "mrpc")

    def encode(rows):
        return tokenizer(rows["sentence1"], rows["sentence2"], truncation=True, max_length=128)

    with accelerator.main_process_first():
        done = raw.map(encode, batched=True, remove_columns=["idx", "sentence1", "sentence2"])
    done = done.rename_column("label", "labels")
    collate = DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8)
    return (
        DataLoader(done["train"], shuffle=True, collate_fn=collate, batch_size=batch),
        DataLoader(done["validation"], shuffle=False, collate_fn=collate, batch_size=batch),
    )


def evaluate(accelerator, model, loader):
    model.eval()
    right = total = 0
    for batch in loader:
        with torch.no_grad():
            logits = model(**batch).logits
        predictions, labels = accelerator.gather_for_metrics((logits.argmax(-1), batch["labels"]))
        right += (predictions == labels).sum().item()
        total += labels.numel()
    return right / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", default="out")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--resume", type=str, default=None)
    args = parser.parse_args()
    accelerator = Accelerator(
        gradient_accumulation_steps=2,
        mixed_precision="bf16",
        log_with="tensorboard",
        project_config=ProjectConfiguration(project_dir=args.output, automatic_checkpoint_naming=True, total_limit=2),
    )
    set_seed(42)
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
    train, val = build_loaders(accelerator, tokenizer, 16)
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    model, optimizer, train, val = accelerator.prepare(model, optimizer, train, val)
    updates = math.ceil(len(train) / accelerator.gradient_accumulation_steps)
    scheduler = get_scheduler("linear", optimizer, 0, args.epochs * updates * accelerator.num_processes)
    scheduler = accelerator.prepare(scheduler)
    accelerator.init_trackers("mrpc", config=vars(args))
    if args.resume:
        accelerator.load_state(args.resume)
    bar = tqdm(range(args.epochs * updates), disable=not accelerator.is_local_main_process)
    step = 0
    for epoch in range(args.epochs):
        model.train()
        for batch in train:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                bar.update(1)
                step += 1
                accelerator.log({"loss": accelerator.gather(loss.detach()).mean().item()}, step=step)
        accuracy = evaluate(accelerator, model, val)
        log.info("epoch %d: %.3f", epoch, accuracy)
        accelerator.log({"accuracy": accuracy}, step=step)
        accelerator.save_state()
    accelerator.wait_for_everyone()
    unwrapped = accelerator.unwrap_model(model)
    unwrapped.save_pretrained(
        args.output, is_main_process=accelerator.is_main_process, save_function=accelerator.save,
        state_dict=accelerator.get_state_dict(model),
    )
    if accelerator.is_main_process:
        tokenizer.save_pretrained(args.output)
    accelerator.end_training()


if __name__ == "__main__":
    main()
