import os

from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainingArguments,
)


def build_dataset(tokenizer, args):
    with args.main_process_first():
        data = load_dataset("json", data_files="instructions.jsonl", split="train")
        data = data.map(lambda row: tokenizer(row["text"], truncation=True, max_length=512), remove_columns=["text"])
    data = data.shuffle(seed=args.seed)
    return data.shard(num_shards=args.world_size, index=args.process_index, contiguous=True)


def main():
    args = TrainingArguments(
        output_dir="sft-out",
        per_device_train_batch_size=4,
        gradient_accumulation_steps=8,
        num_train_epochs=1,
        bf16=True,
        logging_steps=20,
        report_to="none",
    )
    tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-0.5B")
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=build_dataset(tokenizer, args),
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    )
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
