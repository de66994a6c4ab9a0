import os
import time

import torch
import torch.distributed as dist
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

MODEL = "distilbert-base-uncased"


class WallClock(TrainerCallback):
    """Ends the training in time for the last checkpoint, before the queue kills the job."""

    def __init__(self, hours, margin=600.0):
        self.limit = hours * 3600.0 - margin
        self.began = None

    def on_train_begin(self, args, state, control, **kwargs):
        self.began = time.monotonic()

    def on_step_end(self, args, state, control, **kwargs):
        if state.global_step % 20:
            return control
        spent = time.monotonic() - self.began
        spent = torch.tensor(spent, device=args.device)
        dist.all_reduce(spent, op=dist.ReduceOp.MAX)
        if spent.item() > self.limit:
            control.should_save = True
            control.should_training_stop = True
        return control


def tokenised(tokenizer, args):
    with args.main_process_first(desc="tokenise"):
        data = load_dataset("glue", "sst2")
        data = data.map(lambda rows: tokenizer(rows["sentence"], truncation=True, max_length=96), batched=True)
    return data["train"], data["validation"]


def main():
    args = TrainingArguments(
        output_dir="sst2",
        per_device_train_batch_size=32,
        num_train_epochs=3,
        learning_rate=2e-5,
        eval_strategy="epoch",
        save_strategy="epoch",
        dataloader_drop_last=True,
        ddp_find_unused_parameters=False,
        report_to="none",
        seed=17,
    )
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    train, valid = tokenised(tokenizer, args)
    trainer = Trainer(
        model=AutoModelForSequenceClassification.from_pretrained(MODEL, num_labels=2),
        args=args,
        train_dataset=train,
        eval_dataset=valid,
        data_collator=DataCollatorWithPadding(tokenizer),
        callbacks=[WallClock(float(os.environ.get("BUDGET_HOURS", "4")))],
    )
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
