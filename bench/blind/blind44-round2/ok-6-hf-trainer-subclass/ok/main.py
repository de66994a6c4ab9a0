import numpy as np
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, TrainingArguments, set_seed

from hf.trainer import FocalTrainer, Report


def metrics(pred):
    return {"accuracy": float((pred.predictions.argmax(-1) == pred.label_ids).mean())}


def main():
    args = TrainingArguments("out", num_train_epochs=3, per_device_train_batch_size=16, eval_strategy="epoch", bf16=True)
    set_seed(args.seed)
    tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
    with args.main_process_first():
        data = load_dataset("glue", "sst2").map(lambda r: tokenizer(r["sentence"], truncation=True), batched=True)
    model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased")
    trainer = FocalTrainer(
        model=model,
        args=args,
        train_dataset=data["train"],
        eval_dataset=data["validation"],
        processing_class=tokenizer,
        compute_metrics=metrics,
        callbacks=[Report()],
    )
    trainer.train()
    trainer.save_model()
    result = trainer.evaluate()
    if trainer.is_world_process_zero():
        print(np.round(result["eval_accuracy"], 4))


if __name__ == "__main__":
    main()
