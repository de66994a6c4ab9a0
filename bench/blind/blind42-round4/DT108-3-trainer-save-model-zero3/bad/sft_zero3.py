"""HF Trainer with a ZeRO-3 config."""
from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
)


@dataclass
class Args(TrainingArguments):
    model: str = field(default="mistralai/Mistral-7B-v0.1")
    output_dir: str = field(default="out")
    deepspeed: str = field(default="zero3.json")
    bf16: bool = field(default=True)
    per_device_train_batch_size: int = field(default=2)


def main():
    (args,) = HfArgumentParser(Args).parse_args_into_dataclasses()
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(args.model)
    with args.main_process_first():
        rows = load_dataset("wikitext", "wikitext-103-raw-v1", split="train")
        rows = rows.map(lambda r: tokenizer(r["text"], truncation=True, max_length=1024), remove_columns=["text"])
    collate = DataCollatorForLanguageModeling(tokenizer, mlm=False)
    trainer = Trainer(model=model, args=args, train_dataset=rows, data_collator=collate)
    trainer.train()
    if trainer.is_world_process_zero():
        trainer.save_model()
        tokenizer.save_pretrained(args.output_dir)


if __name__ == "__main__":
    main()
