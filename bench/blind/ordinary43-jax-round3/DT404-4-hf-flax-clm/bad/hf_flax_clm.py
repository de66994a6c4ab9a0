"""HF Flax example style: shard_prng_key, data loader with a key, train metrics, eval, save on process 0."""
import math
import os
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Callable

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils, traverse_util
from flax.jax_utils import pad_shard_unpad, unreplicate
from flax.training import train_state
from flax.training.common_utils import get_metrics, onehot, shard, shard_prng_key
from datasets import load_dataset
from transformers import AutoConfig, AutoTokenizer, FlaxAutoModelForCausalLM, HfArgumentParser
from tqdm import tqdm


@dataclass
class Args:
    output_dir: str
    model: str = "gpt2"
    per_device_train_batch_size: int = 8
    per_device_eval_batch_size: int = 8
    num_train_epochs: int = 3
    learning_rate: float = 5e-5
    warmup_steps: int = 100
    seed: int = 42
    save_steps: int = 500
    logging_steps: int = 50
    betas: list = field(default_factory=lambda: [0.9, 0.98])


class TrainState(train_state.TrainState):
    dropout_rng: jnp.ndarray

    def replicate(self):
        return jax_utils.replicate(self).replace(dropout_rng=shard_prng_key(self.dropout_rng))


def data_loader(rng, dataset, batch_size, shuffle=False, drop_last=True):
    if shuffle:
        batch_idx = np.asarray(jax.random.permutation(rng, len(dataset)))
    else:
        batch_idx = np.arange(len(dataset))
    if drop_last:
        steps = len(dataset) // batch_size
        batch_idx = batch_idx[: steps * batch_size].reshape((steps, batch_size))
    else:
        batch_idx = np.array_split(batch_idx, math.ceil(len(dataset) / batch_size))
    for idx in batch_idx:
        batch = dataset[idx]
        yield {k: np.array(v) for k, v in batch.items()}


def create_schedule(n, batch, epochs, warmup, lr) -> Callable[[int], jnp.ndarray]:
    steps = n // batch * epochs
    up = optax.linear_schedule(0.0, lr, warmup)
    down = optax.linear_schedule(lr, 0.0, steps - warmup)
    return optax.join_schedules([up, down], [warmup])


def decay_mask(params):
    flat = traverse_util.flatten_dict(params)
    return traverse_util.unflatten_dict({p: p[-1] not in ("bias", "scale") for p in flat})


def main():
    (args,) = HfArgumentParser(Args).parse_args_into_dataclasses()
    if jax.process_index() == 0:
        os.makedirs(args.output_dir, exist_ok=True)
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    raw = load_dataset("wikitext", "wikitext-2-raw-v1")

    def tokenize(batch):
        ids = sum(tokenizer(batch["text"])["input_ids"], [])
        n = len(ids) // 128 * 128
        blocks = [ids[i : i + 128] for i in range(0, n, 128)]
        return {"input_ids": blocks, "labels": [list(b) for b in blocks]}

    data = raw.map(tokenize, batched=True, remove_columns=["text"])
    model = FlaxAutoModelForCausalLM.from_config(AutoConfig.from_pretrained(args.model), seed=args.seed)
    rng = jax.random.PRNGKey(args.seed)
    rng, dropout_rng = jax.random.split(rng)
    train_batch = args.per_device_train_batch_size * jax.device_count()
    eval_batch = args.per_device_eval_batch_size * jax.device_count()
    schedule = create_schedule(len(data["train"]), train_batch, args.num_train_epochs, args.warmup_steps, args.learning_rate)
    tx = optax.adamw(schedule, *args.betas, mask=decay_mask)
    state = TrainState.create(apply_fn=model.__call__, params=model.params, tx=tx, dropout_rng=dropout_rng)

    def loss_fn(logits, labels):
        return optax.softmax_cross_entropy(logits[..., :-1, :], onehot(labels[..., 1:], logits.shape[-1])).mean()

    def train_step(state, batch):
        dropout_rng, new_dropout_rng = jax.random.split(state.dropout_rng)

        def compute(params):
            labels = batch.pop("labels")
            logits = state.apply_fn(**batch, params=params, dropout_rng=dropout_rng, train=True)[0]
            return loss_fn(logits, labels)

        loss, grad = jax.value_and_grad(compute)(state.params)
        new_state = state.apply_gradients(grads=grad, dropout_rng=new_dropout_rng)
        metrics = jax.lax.pmean({"loss": loss, "lr": schedule(state.step)}, axis_name="batch")
        return new_state, metrics

    def eval_step(params, batch):
        labels = batch.pop("labels")
        logits = model(**batch, params=params, train=False)[0]
        return jax.lax.pmean({"loss": loss_fn(logits, labels)}, axis_name="batch")

    p_train = jax.pmap(train_step, "batch", donate_argnums=(0,))
    p_eval = jax.pmap(eval_step, "batch")
    state = state.replicate()
    metrics = []
    epochs = tqdm(range(args.num_train_epochs), desc="Epoch", disable=jax.process_index() > 0)
    for epoch in epochs:
        start = time.time()
        rng, input_rng = jax.random.split(rng)
        steps = len(data["train"]) // train_batch
        for step, batch in enumerate(data_loader(input_rng, data["train"], train_batch, shuffle=True)):
            state, metric = p_train(state, shard(batch))
            metrics.append(metric)
            current = epoch * steps + step
            if current % args.logging_steps == 0 and current > 0:
                m = unreplicate(metric)
                epochs.write(f"{current} {m['loss']} {m['lr']}")
                metrics = []
            if current % args.save_steps == 0 and current > 0 and jax.process_index() == 0:
                model.save_pretrained(args.output_dir, params=jax.device_get(unreplicate(state.params)))
                tokenizer.save_pretrained(args.output_dir)
        losses = []
        for batch in data_loader(input_rng, data["validation"], eval_batch):
            losses.append(pad_shard_unpad(p_eval, static_return=True)(state.params, batch, min_device_batch=args.per_device_eval_batch_size))
        losses = get_metrics(losses)
        epochs.write(f"eval {losses['loss'].mean()} {time.time() - start:.1f}s")


if __name__ == "__main__":
    main()
