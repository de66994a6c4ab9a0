import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer, default_data_collator, get_scheduler

TEMPLATE = "### Instruction:\n{instruction}\n\n### Response:\n{output}"


class Recipe:
    def __init__(self, args):
        self.args = args
        self.accelerator = Accelerator(gradient_accumulation_steps=args.accumulate, mixed_precision="bf16")
        set_seed(args.seed)
        self.tokenizer = AutoTokenizer.from_pretrained(args.model)
        self.tokenizer.pad_token = self.tokenizer.eos_token

    def encode(self, row):
        text = TEMPLATE.format(**row) + self.tokenizer.eos_token
        ids = self.tokenizer(text, truncation=True, padding="max_length", max_length=self.args.max_length)
        ids["labels"] = [t if m else -100 for t, m in zip(ids["input_ids"], ids["attention_mask"])]
        return ids

    def datasets(self):
        rows = load_dataset("yahma/alpaca-cleaned", split="train")
        rows = rows.shuffle(seed=self.args.seed)
        cut = len(rows) - self.args.held_out
        with self.accelerator.main_process_first():
            rows = rows.map(self.encode, remove_columns=rows.column_names)
        return rows.select(range(cut)), rows.select(range(cut, len(rows)))

    def run(self):
        a, acc = self.args, self.accelerator
        train, held_out = self.datasets()
        model = AutoModelForCausalLM.from_pretrained(a.model)
        optimizer = torch.optim.AdamW(model.parameters(), lr=a.lr)
        loader = DataLoader(train, batch_size=a.batch_size, shuffle=True, drop_last=True, collate_fn=default_data_collator)
        val_loader = DataLoader(held_out, batch_size=a.batch_size, collate_fn=default_data_collator)
        model, optimizer, loader, val_loader = acc.prepare(model, optimizer, loader, val_loader)
        updates = a.epochs * -(-len(loader) // a.accumulate)
        schedule = get_scheduler("cosine", optimizer, num_warmup_steps=50, num_training_steps=updates)
        for epoch in range(a.epochs):
            model.train()
            for batch in loader:
                with acc.accumulate(model):
                    loss = model(**batch).loss
                    acc.backward(loss)
                    if acc.sync_gradients:
                        acc.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
                    if acc.sync_gradients:
                        schedule.step()
                    optimizer.zero_grad()
            acc.print(f"epoch {epoch}: held-out {self.held_out_loss(model, val_loader):.4f}")
        acc.wait_for_everyone()
        state = acc.get_state_dict(model)
        acc.unwrap_model(model).save_pretrained(a.out, state_dict=state, is_main_process=acc.is_main_process, save_function=acc.save)
        acc.end_training()

    @torch.no_grad()
    def held_out_loss(self, model, loader):
        model.eval()
        losses = [self.accelerator.gather_for_metrics(model(**b).loss.expand(b["input_ids"].size(0))) for b in loader]
        return torch.cat(losses).mean().item()


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="EleutherAI/pythia-410m")
    p.add_argument("--batch-size", type=int, default=4)
    p.add_argument("--accumulate", type=int, default=8)
    p.add_argument("--max-length", type=int, default=512)
    p.add_argument("--held-out", type=int, default=1000)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--lr", type=float, default=2e-5)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--out", default="pythia-alpaca")
    Recipe(p.parse_args()).run()
