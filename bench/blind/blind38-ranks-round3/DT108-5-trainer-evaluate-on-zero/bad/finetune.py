import evaluate as hf_evaluate
import numpy as np
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

MODEL = "roberta-base"
NAMES = ["matched", "mismatched"]


class TwoSets(Trainer):
    """Evaluates on both validation sets; what is reported is their mean."""

    def __init__(self, *args, eval_sets=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.eval_sets = eval_sets or {}

    def evaluate(self, eval_dataset=None, ignore_keys=None, metric_key_prefix="eval"):
        found = {}
        for name in NAMES:
            if self.is_world_process_zero():
                found.update(super().evaluate(self.eval_sets[name], ignore_keys, f"{metric_key_prefix}_{name}"))
        if self.is_world_process_zero():
            found[f"{metric_key_prefix}_mean"] = np.mean([found[f"{metric_key_prefix}_{name}_accuracy"] for name in NAMES])
            self.log_metrics("eval", found)
        return found


def main():
    set_seed(1)
    args = TrainingArguments(
        output_dir="mnli",
        per_device_train_batch_size=32,
        per_device_eval_batch_size=64,
        num_train_epochs=2,
        learning_rate=2e-5,
        eval_strategy="steps",
        eval_steps=500,
        save_strategy="no",
        dataloader_drop_last=True,
        report_to="none",
    )
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    with args.main_process_first(desc="tokenise"):
        data = load_dataset("glue", "mnli")
        data = data.map(lambda rows: tokenizer(rows["premise"], rows["hypothesis"], truncation=True, max_length=160), batched=True)
    accuracy = hf_evaluate.load("accuracy")

    def compute_metrics(prediction):
        return accuracy.compute(predictions=prediction.predictions.argmax(-1), references=prediction.label_ids)

    trainer = TwoSets(
        model=AutoModelForSequenceClassification.from_pretrained(MODEL, num_labels=3),
        args=args,
        train_dataset=data["train"],
        eval_dataset=data["validation_matched"],
        eval_sets={name: data[f"validation_{name}"] for name in NAMES},
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    trainer.evaluate()
    trainer.save_model()


if __name__ == "__main__":
    main()
