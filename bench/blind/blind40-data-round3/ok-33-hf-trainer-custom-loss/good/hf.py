import torch
import torch.nn.functional as F
from torch.utils.data import Dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments, set_seed


class Lines(Dataset):
    def __init__(self, path, tokenizer):
        with open(path, encoding="utf-8") as lines:
            pairs = [line.rstrip("\n").split("\t") for line in lines]
        self.codes = tokenizer([text for _, text in pairs], truncation=True, max_length=128)["input_ids"]
        self.labels = [int(label) for label, _ in pairs]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"input_ids": self.codes[i], "labels": self.labels[i]}


class Smoothed(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = F.cross_entropy(outputs.logits, labels, label_smoothing=0.1)
        return (loss, outputs) if return_outputs else loss


def main():
    set_seed(11)
    tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
    model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=2)
    args = TrainingArguments(
        output_dir="out",
        num_train_epochs=2,
        per_device_train_batch_size=16,
        gradient_accumulation_steps=2,
        learning_rate=3e-5,
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="accuracy",
        report_to=[],
    )
    trainer = Smoothed(
        model=model,
        args=args,
        train_dataset=Lines("train.tsv", tokenizer),
        eval_dataset=Lines("dev.tsv", tokenizer),
        processing_class=tokenizer,
        compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())},
    )
    trainer.train()
    trainer.save_model("out/best")
    if trainer.is_world_process_zero():
        tokenizer.save_pretrained("out/best")


if __name__ == "__main__":
    main()
