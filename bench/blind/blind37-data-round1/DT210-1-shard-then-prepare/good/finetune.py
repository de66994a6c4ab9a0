import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, DataCollatorForSeq2Seq, get_linear_schedule_with_warmup


def preprocess(tokenizer, max_length):
    def run(rows):
        features = tokenizer(rows["article"], truncation=True, max_length=max_length)
        features["labels"] = tokenizer(text_target=rows["highlights"], truncation=True, max_length=128)["input_ids"]
        return features

    return run


class Corpus:
    def __init__(self, accelerator, tokenizer, args):
        self.accelerator = accelerator
        self.tokenizer = tokenizer
        self.args = args

    def split(self, name):
        rows = load_dataset("cnn_dailymail", "3.0.0", split=name)
        with self.accelerator.main_process_first():
            return rows.map(preprocess(self.tokenizer, self.args.max_length), batched=True, remove_columns=rows.column_names)

    def loader(self, name, model):
        collate = DataCollatorForSeq2Seq(self.tokenizer, model=model)
        return DataLoader(
            self.split(name),
            batch_size=self.args.batch_size,
            shuffle=name == "train",
            collate_fn=collate,
            drop_last=name == "train",
        )


def evaluate(accelerator, model, loader):
    model.eval()
    losses = []
    for batch in loader:
        with torch.no_grad():
            loss = model(**batch).loss
        losses.append(accelerator.gather_for_metrics(loss.repeat(batch["input_ids"].shape[0])))
    model.train()
    return torch.cat(losses).mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--checkpoint", default="t5-small")
    ap.add_argument("--batch-size", type=int, default=16)
    ap.add_argument("--max-length", type=int, default=512)
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--out", default="t5-cnn")
    args = ap.parse_args()
    accelerator = Accelerator(gradient_accumulation_steps=2)
    set_seed(7)
    tokenizer = AutoTokenizer.from_pretrained(args.checkpoint)
    model = AutoModelForSeq2SeqLM.from_pretrained(args.checkpoint)
    corpus = Corpus(accelerator, tokenizer, args)
    train, val = corpus.loader("train", model), corpus.loader("validation", model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    model, optimizer, train, val = accelerator.prepare(model, optimizer, train, val)
    schedule = accelerator.prepare(get_linear_schedule_with_warmup(optimizer, 100, len(train) * args.epochs))
    for epoch in range(args.epochs):
        for batch in train:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: val loss {evaluate(accelerator, model, val):.4f}")
    accelerator.wait_for_everyone()
    accelerator.unwrap_model(model).save_pretrained(args.out, is_main_process=accelerator.is_main_process, save_function=accelerator.save)
    accelerator.end_training()


if __name__ == "__main__":
    main()
