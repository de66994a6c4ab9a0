import os

import torch
import torch.distributed as dist
from datasets import load_dataset
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from transformers import AutoModelForSequenceClassification, AutoTokenizer, default_data_collator

NAME = "distilroberta-base"


def datasets_for(tokenizer, fraction=0.1):
    ds = load_dataset("ag_news", split="train")
    ds = ds.map(
        lambda b: tokenizer(b["text"], truncation=True, padding="max_length", max_length=96),
        batched=True,
        remove_columns=["text"],
    )
    parts = ds.train_test_split(test_size=fraction)
    return parts["train"], parts["test"]


def loader_for(ds, train, batch_size=16):
    sampler = DistributedSampler(ds, shuffle=train, drop_last=train)
    return DataLoader(ds, batch_size=batch_size, sampler=sampler, drop_last=train, collate_fn=default_data_collator)


@torch.no_grad()
def accuracy(model, loader, device):
    model.eval()
    right = torch.zeros(2, device=device)
    for batch in loader:
        batch = {k: v.to(device) for k, v in batch.items()}
        right[0] += (model.module(**batch).logits.argmax(-1) == batch["labels"]).sum()
        right[1] += len(batch["labels"])
    dist.all_reduce(right)
    return (right[0] / right[1]).item()


def main(epochs=2):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    tokenizer = AutoTokenizer.from_pretrained(NAME)
    train_set, test_set = datasets_for(tokenizer)
    train, test = loader_for(train_set, True), loader_for(test_set, False)
    net = AutoModelForSequenceClassification.from_pretrained(NAME, num_labels=4).to(device)
    model = DDP(net, device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=3e-5)
    for epoch in range(epochs):
        train.sampler.set_epoch(epoch)
        model.train()
        for batch in train:
            opt.zero_grad(set_to_none=True)
            model(**{k: v.to(device) for k, v in batch.items()}).loss.backward()
            opt.step()
        score = accuracy(model, test, device)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} accuracy {score:.3f}")
    if dist.get_rank() == 0:
        net.save_pretrained("agnews")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
