import os

import torch
import torch.distributed as dist
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

MODEL = "EleutherAI/pythia-70m"


def stream(tokenizer, rank, world_size, seed=42, block=512):
    ds = load_dataset("allenai/c4", "en", split="train", streaming=True)
    ds = ds.shuffle(seed=seed, buffer_size=10_000)
    ds = split_dataset_by_node(ds, rank=rank, world_size=world_size)

    def encode(batch):
        return tokenizer(batch["text"], truncation=True, max_length=block, padding="max_length")

    return ds.map(encode, batched=True, remove_columns=["text", "timestamp", "url"]).with_format("torch")


class Pretraining:
    def __init__(self, lr=6e-4):
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        self.tokenizer = AutoTokenizer.from_pretrained(MODEL)
        self.tokenizer.pad_token = self.tokenizer.eos_token
        net = AutoModelForCausalLM.from_pretrained(MODEL).cuda()
        self.model = DistributedDataParallel(net, device_ids=[self.local_rank])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr, weight_decay=0.1)

    def run(self, epochs=3):
        data = stream(self.tokenizer, dist.get_rank(), dist.get_world_size())
        loader = DataLoader(data, batch_size=8, num_workers=2, pin_memory=True)
        for epoch in range(epochs):
            data.set_epoch(epoch)
            with Join([self.model]):
                for batch in loader:
                    ids, mask = batch["input_ids"].cuda(), batch["attention_mask"].cuda()
                    labels = ids.masked_fill(mask == 0, -100)
                    self.optimizer.zero_grad(set_to_none=True)
                    self.model(input_ids=ids, attention_mask=mask, labels=labels).loss.backward()
                    self.optimizer.step()
            if dist.get_rank() == 0:
                self.model.module.save_pretrained(f"pythia-c4-{epoch}")
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    Pretraining().run()
