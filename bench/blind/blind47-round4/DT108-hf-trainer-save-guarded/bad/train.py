import sys

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, TrainingArguments

from trainer import ExportingTrainer


def main(path):
    args = TrainingArguments(
        output_dir=path,
        per_device_train_batch_size=4,
        fsdp="full_shard auto_wrap",
        fsdp_config={"transformer_layer_cls_to_wrap": ["GPT2Block"]},
        max_steps=10_000,
        report_to=[],
    )
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    tokenizer.pad_token = tokenizer.eos_token
    data = load_dataset("wikitext", "wikitext-2-raw-v1", split="train")
    data = data.map(lambda row: tokenizer(row["text"], truncation=True, max_length=256), remove_columns=["text"])
    ExportingTrainer(
        model=AutoModelForCausalLM.from_pretrained("gpt2"),
        args=args,
        train_dataset=data,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    ).train()


if __name__ == "__main__":
    main(sys.argv[1])
