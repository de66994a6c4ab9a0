import json
from pathlib import Path

from datasets import load_dataset
from transformers import (
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    EarlyStoppingCallback,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    TrainerCallback,
)

MODEL = "t5-small"


class Curve(TrainerCallback):
    def __init__(self, path):
        self.path = Path(path)

    def on_log(self, args, state, control, logs=None, **kwargs):
        if not state.is_world_process_zero or not logs:
            return
        with self.path.open("a") as out:
            out.write(json.dumps({"step": state.global_step, **logs}) + "\n")

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        if metrics["eval_loss"] < 0.5:
            control.should_training_stop = True
        return control


def main():
    args = Seq2SeqTrainingArguments(
        output_dir="summaries",
        per_device_train_batch_size=8,
        gradient_accumulation_steps=2,
        num_train_epochs=3,
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        fsdp="full_shard auto_wrap",
        dataloader_drop_last=True,
        report_to="none",
    )
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    with args.main_process_first(desc="tokenise"):
        data = load_dataset("xsum")

        def encode(rows):
            out = tokenizer(["summarize: " + text for text in rows["document"]], truncation=True, max_length=512)
            out["labels"] = tokenizer(text_target=rows["summary"], truncation=True, max_length=64)["input_ids"]
            return out

        data = data.map(encode, batched=True, remove_columns=data["train"].column_names)
    model = AutoModelForSeq2SeqLM.from_pretrained(MODEL)
    trainer = Seq2SeqTrainer(
        model=model,
        args=args,
        train_dataset=data["train"],
        eval_dataset=data["validation"],
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
        callbacks=[Curve("curve.jsonl"), EarlyStoppingCallback(early_stopping_patience=2)],
    )
    trainer.train()
    trainer.save_model("summaries/best")
    if trainer.is_world_process_zero():
        tokenizer.save_pretrained("summaries/best")
        Path("summaries/args.json").write_text(args.to_json_string())


if __name__ == "__main__":
    main()
