import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.utils.data import DataLoader
from transformers import AutoModelForMaskedLM, AutoTokenizer, DataCollatorForLanguageModeling

NAME = "bert-base-uncased"


class Run:
    def __init__(self, steps=2_000, batch_size=16, lr=1e-4):
        self.accelerator = Accelerator(mixed_precision="bf16")
        set_seed(31)
        self.steps = steps
        self.tokenizer = AutoTokenizer.from_pretrained(NAME)
        collate = DataCollatorForLanguageModeling(self.tokenizer, mlm_probability=0.15)
        loader = DataLoader(self.stream(), batch_size=batch_size, collate_fn=collate, num_workers=2, drop_last=True)
        model = AutoModelForMaskedLM.from_pretrained(NAME)
        optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)

    def stream(self):
        ds = load_dataset("wikimedia/wikipedia", "20231101.en", split="train", streaming=True)
        ds = ds.shuffle(seed=31, buffer_size=5_000)
        return ds.map(
            lambda b: self.tokenizer(b["text"], truncation=True, max_length=256),
            batched=True,
            remove_columns=["id", "url", "title", "text"],
        )

    def fit(self):
        done = 0
        for batch in self.loader:
            loss = self.model(**batch).loss
            self.accelerator.backward(loss)
            self.optimizer.step()
            self.optimizer.zero_grad()
            done += 1
            if done % 100 == 0:
                mean = self.accelerator.reduce(loss.detach(), reduction="mean")
                self.accelerator.print(f"{done}: {mean.item():.3f}")
            if done >= self.steps:
                break
        self.accelerator.wait_for_everyone()
        net = self.accelerator.unwrap_model(self.model)
        net.save_pretrained("mlm", is_main_process=self.accelerator.is_main_process)


if __name__ == "__main__":
    run = Run()
    run.fit()
    run.accelerator.end_training()
