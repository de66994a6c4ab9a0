from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, Trainer, TrainingArguments

from limit import TimeLimit


def main():
    args = TrainingArguments("out", per_device_train_batch_size=2, max_steps=10000, bf16=True, save_steps=500, seed=2, fsdp="full_shard auto_wrap")
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    tokenizer.pad_token = tokenizer.eos_token
    with args.main_process_first():
        rows = load_dataset("wikitext", "wikitext-103-raw-v1", split="train")
        rows = rows.map(lambda r: tokenizer(r["text"], truncation=True, max_length=512), batched=True, remove_columns=["text"])
    trainer = Trainer(
        model=AutoModelForCausalLM.from_pretrained("gpt2"),
        args=args,
        train_dataset=rows,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
        callbacks=[TimeLimit(hours=3.5)],
    )
    trainer.train()


if __name__ == "__main__":
    main()
