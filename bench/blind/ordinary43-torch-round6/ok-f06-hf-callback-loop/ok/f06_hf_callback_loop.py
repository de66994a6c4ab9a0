"""Transformers with a custom loop through accelerate, peft, generation in evaluation with gather_object and pad."""
import os

import evaluate
import torch
from accelerate import Accelerator
from accelerate.utils import gather_object, set_seed
from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from torch.utils.data import DataLoader
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, DataCollatorForSeq2Seq, get_linear_schedule_with_warmup


def main():
    accelerator = Accelerator(gradient_accumulation_steps=4)
    set_seed(42)
    tokenizer = AutoTokenizer.from_pretrained("t5-small")
    model = AutoModelForSeq2SeqLM.from_pretrained("t5-small")
    model = get_peft_model(model, LoraConfig(task_type="SEQ_2_SEQ_LM", r=8))
    if accelerator.is_main_process:
        model.print_trainable_parameters()
    with accelerator.main_process_first():
        raw = load_dataset("xsum")
        done = raw.map(
            lambda b: {**tokenizer(b["document"], truncation=True, max_length=512),
                       "labels": tokenizer(text_target=b["summary"], truncation=True, max_length=64)["input_ids"]},
            batched=True, remove_columns=raw["train"].column_names, load_from_cache_file=True,
        )
    collate = DataCollatorForSeq2Seq(tokenizer, model=model)
    train = DataLoader(done["train"], batch_size=8, shuffle=True, collate_fn=collate)
    val = DataLoader(done["validation"], batch_size=16, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    model, optimizer, train, val = accelerator.prepare(model, optimizer, train, val)
    steps = 3 * len(train) // accelerator.gradient_accumulation_steps
    schedule = accelerator.prepare(get_linear_schedule_with_warmup(optimizer, 100 * accelerator.num_processes, steps * accelerator.num_processes))
    rouge = evaluate.load("rouge")
    best = 0.0
    for epoch in range(3):
        model.train()
        for batch in train:
            with accelerator.accumulate(model):
                accelerator.backward(model(**batch).loss)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
        model.eval()
        texts, wanted = [], []
        for batch in val:
            with torch.no_grad():
                out = accelerator.unwrap_model(model).generate(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], max_new_tokens=64)
            out = accelerator.pad_across_processes(out, dim=1, pad_index=tokenizer.pad_token_id)
            labels = accelerator.pad_across_processes(batch["labels"], dim=1, pad_index=-100)
            out, labels = accelerator.gather_for_metrics((out, labels))
            labels = torch.where(labels == -100, tokenizer.pad_token_id, labels)
            texts += tokenizer.batch_decode(out, skip_special_tokens=True)
            wanted += tokenizer.batch_decode(labels, skip_special_tokens=True)
        score = rouge.compute(predictions=texts, references=wanted)["rougeL"]
        accelerator.print(epoch, score)
        if score > best:
            best = score
            accelerator.wait_for_everyone()
            accelerator.unwrap_model(model).save_pretrained("lora", is_main_process=accelerator.is_main_process, save_function=accelerator.save)
    accelerator.end_training()


if __name__ == "__main__":
    main()
