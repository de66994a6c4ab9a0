import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainingArguments,
)
from datasets import load_dataset


class PatientTrainer(Trainer):
    skipped = 0

    def training_step(self, model, inputs, num_items_in_batch=None):
        try:
            return super().training_step(model, inputs, num_items_in_batch)
        except torch.cuda.OutOfMemoryError:
            self.skipped += 1
            torch.cuda.empty_cache()
            model.zero_grad(set_to_none=True)
            return torch.zeros((), device=self.args.device)


def main():
    args = TrainingArguments(
        output_dir="sft-out",
        per_device_train_batch_size=4,
        gradient_accumulation_steps=4,
        num_train_epochs=1,
        learning_rate=2e-5,
        bf16=True,
        logging_steps=10,
        save_strategy="epoch",
        ddp_find_unused_parameters=False,
        seed=42,
    )
    name = "sshleifer/tiny-gpt2"
    tokenizer = AutoTokenizer.from_pretrained(name)
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(name)
    with args.main_process_first(desc="tokenise"):
        data = load_dataset("wikitext", "wikitext-2-raw-v1", split="train")
        data = data.filter(lambda row: len(row["text"]) > 20)
        data = data.map(lambda rows: tokenizer(rows["text"], truncation=True, max_length=512), batched=True, remove_columns=["text"])
    trainer = PatientTrainer(
        model=model,
        args=args,
        train_dataset=data,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    )
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
