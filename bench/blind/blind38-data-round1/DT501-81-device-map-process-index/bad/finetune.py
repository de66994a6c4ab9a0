"""QLoRA fine-tuning with a plain Accelerate loop; every process holds one whole quantised model."""
import math
from dataclasses import dataclass

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import load_dataset
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    BitsAndBytesConfig,
    DataCollatorForLanguageModeling,
    get_linear_schedule_with_warmup,
)


@dataclass
class Recipe:
    base: str = "mistralai/Mistral-7B-v0.1"
    data: str = "tatsu-lab/alpaca"
    batch_size: int = 4
    window: int = 8
    epochs: int = 2
    lr: float = 2e-4
    length: int = 1024
    out: str = "alpaca-lora"


def quantised(recipe, accelerator):
    plan = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
    model = AutoModelForCausalLM.from_pretrained(
        recipe.base,
        quantization_config=plan,
        device_map={"": accelerator.process_index},
        torch_dtype=torch.bfloat16,
    )
    model = prepare_model_for_kbit_training(model)
    return get_peft_model(model, LoraConfig(r=32, lora_alpha=64, lora_dropout=0.05, task_type="CAUSAL_LM"))


def tokenised(recipe, tokenizer, accelerator):
    with accelerator.main_process_first():
        rows = load_dataset(recipe.data, split="train")
        return rows.map(
            lambda batch: tokenizer(batch["text"], truncation=True, max_length=recipe.length),
            batched=True,
            remove_columns=rows.column_names,
        )


def main():
    recipe = Recipe()
    accelerator = Accelerator(gradient_accumulation_steps=recipe.window, mixed_precision="bf16")
    set_seed(17)
    tokenizer = AutoTokenizer.from_pretrained(recipe.base)
    tokenizer.pad_token = tokenizer.eos_token
    rows = tokenised(recipe, tokenizer, accelerator)
    loader = DataLoader(
        rows,
        batch_size=recipe.batch_size,
        shuffle=True,
        drop_last=True,
        collate_fn=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    )
    model = quantised(recipe, accelerator)
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=recipe.lr)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    updates = math.ceil(len(loader) / recipe.window) * recipe.epochs
    schedule = get_linear_schedule_with_warmup(optimizer, updates // 20, updates)

    for _ in range(recipe.epochs):
        for batch in loader:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 0.3)
                optimizer.step()
                if accelerator.sync_gradients:
                    schedule.step()
                optimizer.zero_grad()
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        accelerator.unwrap_model(model).save_pretrained(recipe.out)
    accelerator.end_training()


if __name__ == "__main__":
    main()
