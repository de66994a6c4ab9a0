from accelerate import Accelerator, FullyShardedDataParallelPlugin
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling

from export import Exporter

NAME = "facebook/opt-350m"


def make_loader(accelerator, tokenizer):
    with accelerator.main_process_first():
        rows = load_dataset("wikitext", "wikitext-2-raw-v1", split="train")
        rows = rows.filter(lambda row: len(row["text"]) > 80)
        rows = rows.map(
            lambda b: tokenizer(b["text"], truncation=True, max_length=128), batched=True, remove_columns=["text"]
        )
    return DataLoader(
        rows, batch_size=8, shuffle=True, drop_last=True, collate_fn=DataCollatorForLanguageModeling(tokenizer, mlm=False)
    )


def main():
    accelerator = Accelerator(mixed_precision="bf16", fsdp_plugin=FullyShardedDataParallelPlugin())
    set_seed(1)
    tokenizer = AutoTokenizer.from_pretrained(NAME)
    model = AutoModelForCausalLM.from_pretrained(NAME)
    model = accelerator.prepare(model)
    optimizer, loader = accelerator.prepare(AdamW(model.parameters(), lr=1e-5), make_loader(accelerator, tokenizer))
    export = Exporter(accelerator, "out", every=200)
    step = 0
    for _ in range(2):
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            export(model, step)
    accelerator.end_training()


if __name__ == "__main__":
    main()
