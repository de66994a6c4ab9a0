import json
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.utils import DataLoaderConfiguration, set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer, default_data_collator, get_scheduler

OUT = Path("streamed")
UPDATES, WARMUP, ACCUMULATE, MICRO = 5000, 100, 4, 8


def stream(tokenizer):
    rows = load_dataset("HuggingFaceFW/fineweb", "sample-10BT", split="train", streaming=True).shuffle(seed=0, buffer_size=5000)

    def encode(batch):
        out = tokenizer(batch["text"], truncation=True, padding="max_length", max_length=512)
        out["labels"] = [[t if m else -100 for t, m in zip(i, a)] for i, a in zip(out["input_ids"], out["attention_mask"])]
        return out

    return rows.map(encode, batched=True, remove_columns=list(rows.features or ["text"])).with_format("torch")


def main():
    accelerator = Accelerator(
        gradient_accumulation_steps=ACCUMULATE,
        mixed_precision="bf16",
        dataloader_config=DataLoaderConfiguration(dispatch_batches=True),
    )
    set_seed(3)
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    loader = DataLoader(stream(tokenizer), batch_size=MICRO, collate_fn=default_data_collator)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    schedule = get_scheduler(
        "cosine",
        optimizer,
        num_warmup_steps=WARMUP * accelerator.num_processes,
        num_training_steps=UPDATES * accelerator.num_processes,
    )
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    if accelerator.is_main_process:
        OUT.mkdir(exist_ok=True)
    accelerator.wait_for_everyone()
    done = 0
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(**batch).loss
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        if accelerator.sync_gradients:
            done += 1
            if done % 100 == 0:
                mean = accelerator.reduce(loss.detach(), reduction="mean").item()
                if accelerator.is_main_process:
                    with open(OUT / "loss.jsonl", "a") as handle:
                        handle.write(json.dumps({"update": done, "loss": mean}) + "\n")
        if done == UPDATES:
            break
    accelerator.save_state(str(OUT / "state"))
    accelerator.end_training()


if __name__ == "__main__":
    main()
