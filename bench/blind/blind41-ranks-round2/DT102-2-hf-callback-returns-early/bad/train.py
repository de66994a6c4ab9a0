import time

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, Trainer, TrainingArguments

from cb import TokensPerSecond


class CountingTrainer(Trainer):
    def __init__(self, *args, counter, **kwargs):
        super().__init__(*args, callbacks=[counter], **kwargs)
        self.counter = counter

    def training_step(self, model, inputs, num_items_in_batch=None):
        start = time.perf_counter()
        loss = super().training_step(model, inputs, num_items_in_batch)
        self.counter.count(inputs["input_ids"].numel(), time.perf_counter() - start)
        return loss


def main():
    args = TrainingArguments("out", per_device_train_batch_size=8, num_train_epochs=2, bf16=True, seed=1)
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    tokenizer.pad_token = tokenizer.eos_token
    with args.main_process_first():
        rows = load_dataset("wikitext", "wikitext-2-raw-v1", split="train")
        rows = rows.map(lambda r: tokenizer(r["text"], truncation=True, max_length=256), batched=True, remove_columns=["text"])
    trainer = CountingTrainer(
        model=AutoModelForCausalLM.from_pretrained("gpt2"),
        args=args,
        train_dataset=rows,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
        counter=TokensPerSecond(),
    )
    trainer.train()


if __name__ == "__main__":
    main()
