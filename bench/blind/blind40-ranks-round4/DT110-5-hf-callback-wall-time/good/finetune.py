import argparse

from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainingArguments,
)

from limits import WallTime


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="gpt2")
    p.add_argument("--hours", type=float, default=8)
    p.add_argument("--out", default="out")
    cli = p.parse_args()
    args = TrainingArguments(
        output_dir=cli.out,
        per_device_train_batch_size=8,
        num_train_epochs=3,
        save_strategy="steps",
        save_steps=500,
        bf16=True,
        dataloader_drop_last=True,
        report_to="none",
    )
    tokenizer = AutoTokenizer.from_pretrained(cli.model)
    tokenizer.pad_token = tokenizer.eos_token
    with args.main_process_first():
        data = load_dataset("roneneldan/TinyStories", split="train[:2%]")
        data = data.map(lambda b: tokenizer(b["text"], truncation=True, max_length=256), batched=True, remove_columns=["text"])
    trainer = Trainer(
        model=AutoModelForCausalLM.from_pretrained(cli.model),
        args=args,
        train_dataset=data,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
        callbacks=[WallTime(cli.hours)],
    )
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
