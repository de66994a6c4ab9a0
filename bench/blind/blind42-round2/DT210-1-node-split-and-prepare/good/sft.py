"""Supervised fine-tuning with Accelerate on a streamed instruction set."""
import torch
from accelerate import Accelerator
from datasets import load_dataset
from accelerate import DataLoaderConfiguration
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer, get_linear_schedule_with_warmup

NAME = "HuggingFaceTB/SmolLM2-360M"


def encode(tokenizer, limit=1024):
    def one(row):
        text = f"### Question\n{row['question']}\n### Answer\n{row['answer']}{tokenizer.eos_token}"
        return tokenizer(text, truncation=True, max_length=limit)

    return one


def collate(tokenizer):
    def pad(rows):
        batch = tokenizer.pad(rows, return_tensors="pt")
        batch["labels"] = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
        return batch

    return pad


def main(steps=3000, batch=8):
    accelerator = Accelerator(mixed_precision="bf16", dataloader_config=DataLoaderConfiguration(dispatch_batches=False))
    tokenizer = AutoTokenizer.from_pretrained(NAME)
    tokenizer.pad_token = tokenizer.eos_token
    rows = load_dataset("meta-math/MetaMathQA", split="train", streaming=True)
    rows = rows.rename_columns({"query": "question", "response": "answer"}).shuffle(seed=1, buffer_size=5000)
    rows = rows.map(encode(tokenizer), remove_columns=["question", "answer", "original_question", "type"])
    loader = DataLoader(rows, batch_size=batch, collate_fn=collate(tokenizer))
    model = AutoModelForCausalLM.from_pretrained(NAME)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    schedule = get_linear_schedule_with_warmup(optimizer, 100 * accelerator.num_processes, steps * accelerator.num_processes)
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    model.train()
    for step, inputs in enumerate(loader):
        if step == steps:
            break
        loss = model(**inputs).loss
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    accelerator.wait_for_everyone()
    accelerator.unwrap_model(model).save_pretrained(
        "sft", is_main_process=accelerator.is_main_process, save_function=accelerator.save
    )
    accelerator.end_training()


if __name__ == "__main__":
    main()
