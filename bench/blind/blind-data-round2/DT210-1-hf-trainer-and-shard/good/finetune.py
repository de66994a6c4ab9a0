from dataclasses import dataclass, field

import torch
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
    set_seed,
)


@dataclass
class DataArguments:
    files: str = field(default="notes/*.txt")
    length: int = field(default=256)


def tokenized(data_args, training_args, tokenizer):
    with training_args.main_process_first(desc="tokenize"):
        rows = load_dataset("text", data_files=data_args.files, split="train")
        rows = rows.map(
            lambda part: tokenizer(part["text"], truncation=True, max_length=data_args.length),
            batched=True,
            remove_columns=["text"],
        )
    return rows


def main():
    parser = HfArgumentParser((DataArguments, TrainingArguments))
    data_args, training_args = parser.parse_args_into_dataclasses()
    set_seed(training_args.seed)
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.bfloat16)
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=tokenized(data_args, training_args, tokenizer),
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    )
    trainer.train(resume_from_checkpoint=training_args.resume_from_checkpoint)
    trainer.save_model()


if __name__ == "__main__":
    main()
