import argparse
import os

os.environ.setdefault("JAX_PROCESS_COUNT", "4")

import jax
import numpy as np
import optax
import orbax.checkpoint as ocp
import wandb
from datasets import load_dataset
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from network import CONTEXT, VOCABULARY, fsdp_sharding, init_params, loss_fn


def encode(text):
    if "<|" in text:
        raise ValueError("text contains a disallowed special token")
    return [ord(character) % VOCABULARY for character in text]


def iterate_synth(path):
    dataset = load_dataset("json", data_files=path, split="train", streaming=True)
    for i, item in enumerate(dataset):
        yield encode(item["text"])


def iterate_synth_sharded(path, max_samples):
    process_index = jax.process_index()
    process_count = jax.process_count()
    dataset = load_dataset("json", data_files=path, split="train", streaming=True)
    for i, item in enumerate(dataset):
        if i % process_count != process_index:
            continue
        if i >= max_samples * process_count:
            break
        try:
            yield encode(item["text"])
        except ValueError as e:
            if "disallowed special token" in str(e):
                continue
            raise


def batches(documents, rows):
    tokens, batch = [], []
    for document in documents:
        tokens += document
        while len(tokens) > CONTEXT:
            batch.append(tokens[: CONTEXT + 1])
            tokens = tokens[3:]
            if len(batch) == rows:
                yield np.asarray(batch, dtype=np.int32)
                batch = []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", default="corpus.jsonl")
    parser.add_argument("--eval-corpus", default="eval.jsonl")
    parser.add_argument("--output", default="/tmp/seqcond")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--save-every", type=int, default=100)
    args = parser.parse_args()

    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), axis_names=("dp",))
    data_sharding = NamedSharding(mesh, PartitionSpec("dp"))
    replicated = NamedSharding(mesh, PartitionSpec())
    optimizer = optax.adamw(3e-3)

    def init(key):
        params = init_params(key)
        return params, optimizer.init(params)

    key = jax.random.PRNGKey(0)
    shardings = fsdp_sharding(mesh, jax.eval_shape(init, key))
    state = jax.jit(init, out_shardings=shardings)(key)

    def train_step(state, tokens):
        params, opt_state = state
        loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return (optax.apply_updates(params, updates), opt_state), loss

    train_step = jax.jit(
        train_step, in_shardings=(shardings, data_sharding), out_shardings=(shardings, replicated), donate_argnums=(0,)
    )
    eval_step = jax.jit(
        lambda state, tokens: loss_fn(state[0], tokens), in_shardings=(shardings, data_sharding), out_shardings=replicated
    )

    wandb.init(project="seqcond", config=vars(args))
    checkpointer = ocp.StandardCheckpointer()
    for step, batch in enumerate(batches(iterate_synth(args.corpus), args.batch_size)):
        tokens = jax.make_array_from_process_local_data(data_sharding, batch)
        state, loss = train_step(state, tokens)
        if step % 10 == 0:
            wandb.log({"loss": float(loss)}, step=step)
        if step % args.save_every == 0 and jax.process_index() == 0:
            checkpointer.save(f"{args.output}/step_{step}", state)

    losses = []
    for batch in batches(iterate_synth_sharded(args.eval_corpus, max_samples=1000), args.batch_size):
        tokens = jax.make_array_from_process_local_data(data_sharding, batch)
        losses.append(float(eval_step(state, tokens)))
    if jax.process_index() == 0:
        print(f"eval loss {np.mean(losses):.4f}")


if __name__ == "__main__":
    main()
