"""ZeRO-2 instruction tuning with DeepSpeed; every run gets a directory of its own."""
import argparse
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import deepspeed
import torch
import torch.distributed as dist
from torch.utils.data import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer


@dataclass
class Run:
    base: str = "EleutherAI/pythia-410m"
    data: str = "instructions.txt"
    epochs: int = 2
    length: int = 512
    root: Path = Path("outputs")
    name: str = field(default_factory=lambda: datetime.now().strftime("tune-%y%m%d-%H%M%S"))

    @property
    def directory(self):
        return self.root / self.name


class Lines(Dataset):
    def __init__(self, path, tokenizer, length):
        self.lines = [line for line in Path(path).read_text().splitlines() if line.strip()]
        self.tokenizer = tokenizer
        self.length = length

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, index):
        out = self.tokenizer(
            self.lines[index], truncation=True, padding="max_length", max_length=self.length, return_tensors="pt"
        )
        ids, mask = out.input_ids[0], out.attention_mask[0]
        return ids, mask, torch.where(mask.bool(), ids, -100)


CONFIG = {
    "train_micro_batch_size_per_gpu": 8,
    "gradient_accumulation_steps": 4,
    "bf16": {"enabled": True},
    "gradient_clipping": 1.0,
    "zero_optimization": {"stage": 2, "overlap_comm": True},
    "optimizer": {"type": "AdamW", "params": {"lr": 2e-5, "weight_decay": 0.01}},
    "dataloader_drop_last": True,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="instructions.txt")
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()

    deepspeed.init_distributed("nccl")
    run = Run(data=args.data, epochs=args.epochs)
    torch.manual_seed(3)
    tokenizer = AutoTokenizer.from_pretrained(run.base)
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(run.base)
    engine, _, loader, _ = deepspeed.initialize(
        model=model,
        model_parameters=model.parameters(),
        training_data=Lines(run.data, tokenizer, run.length),
        config=CONFIG,
    )

    for epoch in range(run.epochs):
        loader.data_sampler.set_epoch(epoch)
        engine.train()
        for ids, mask, labels in loader:
            ids, mask, labels = (t.to(engine.device) for t in (ids, mask, labels))
            loss = engine(input_ids=ids, attention_mask=mask, labels=labels).loss
            engine.backward(loss)
            engine.step()
        engine.save_checkpoint(str(run.directory), tag=f"epoch-{epoch}")
    if dist.get_rank() == 0:
        tokenizer.save_pretrained(run.directory / "tokenizer")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
