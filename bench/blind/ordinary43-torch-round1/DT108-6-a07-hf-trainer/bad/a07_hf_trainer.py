"""HF Trainer with custom Trainer subclass, compute_metrics and callbacks."""
import json
import os
from dataclasses import dataclass, field
from typing import Optional

import numpy as np
import torch
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling, HfArgumentParser, Trainer, TrainerCallback,
    TrainingArguments, set_seed,
)
from transformers.trainer_utils import get_last_checkpoint


@dataclass
class ModelArguments:
    model_name: str = field(default="gpt2")
    dataset_name: str = field(default="wikitext")
    dataset_config: Optional[str] = field(default="wikitext-2-raw-v1")
    block_size: int = 512


class ThroughputCallback(TrainerCallback):
    def __init__(self):
        self.tokens = 0

    def on_step_end(self, args, state, control, **kwargs):
        self.tokens += args.train_batch_size * args.world_size

    def on_log(self, args, state, control, logs=None, **kwargs):
        if state.is_world_process_zero and logs is not None:
            with open(os.path.join(args.output_dir, "throughput.jsonl"), "a") as f:
                f.write(json.dumps({"step": state.global_step, "samples": self.tokens}) + "\n")


class WeightedTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        shift = outputs.logits[:, :-1].flatten(0, 1)
        loss = torch.nn.functional.cross_entropy(shift, inputs["labels"][:, 1:].flatten(), ignore_index=-100)
        return (loss, outputs) if return_outputs else loss


def main():
    parser = HfArgumentParser((ModelArguments, TrainingArguments))
    margs, targs = parser.parse_args_into_dataclasses()
    set_seed(targs.seed)
    tokenizer = AutoTokenizer.from_pretrained(margs.model_name)
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(margs.model_name)
    raw = load_dataset(margs.dataset_name, margs.dataset_config)

    def tokenize(rows):
        return tokenizer(rows["text"], truncation=True, max_length=margs.block_size)

    with targs.main_process_first(desc="tokenizing"):
        tokenized = raw.map(tokenize, batched=True, remove_columns=["text"], num_proc=4)

    def metrics(pred):
        logits, labels = pred
        guess = np.argmax(logits, -1)[:, :-1]
        mask = labels[:, 1:] != -100
        return {"accuracy": float((guess == labels[:, 1:])[mask].mean())}

    trainer = WeightedTrainer(
        model=model, args=targs, train_dataset=tokenized["train"], eval_dataset=tokenized["validation"],
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False), compute_metrics=metrics,
        callbacks=[ThroughputCallback()],
    )
    last = get_last_checkpoint(targs.output_dir) if os.path.isdir(targs.output_dir) else None
    result = trainer.train(resume_from_checkpoint=last)
    trainer.save_model()
    trainer.log_metrics("train", result.metrics)
    trainer.save_metrics("train", result.metrics)
    trainer.save_state()
    if trainer.is_world_process_zero():
        evaluation = trainer.evaluate()
        with open(os.path.join(targs.output_dir, "final.json"), "w") as f:
            json.dump(evaluation, f)
    if targs.push_to_hub:
        trainer.push_to_hub()


if __name__ == "__main__":
    main()
