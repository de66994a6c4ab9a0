import json
import os
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from . import dist
from .data import Loader, prepare


def init_params(key, vocab=64, width=32):
    k1, k2 = jax.random.split(key)
    return {"emb": jax.random.normal(k1, (vocab, width)) * 0.02, "out": jax.random.normal(k2, (width, vocab)) * 0.02}


def loss_fn(params, tokens):
    logits = params["emb"][tokens[:, :-1]] @ params["out"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


@dist.main_only
def log_metrics(path, record):
    with open(path, "a") as f:
        f.write(json.dumps(record) + "\n")


def fit(workdir, epochs=1, global_batch=16, lr=1e-3, seed=0):
    dist.initialize()
    if dist.is_main():
        os.makedirs(workdir, exist_ok=True)
    dist.barrier("workdir")
    mesh = jax.sharding.Mesh(jax.devices(), ("data",))
    batch_sharding, replicated = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tokens = prepare(os.path.join(workdir, "tokens.npy"))
    loader = Loader(tokens, 32, global_batch, seed)
    tx = optax.adamw(optax.cosine_decay_schedule(lr, epochs * len(loader)))
    params = jax.jit(init_params, out_shardings=replicated)(jax.random.key(seed))
    opt_state = jax.jit(tx.init, out_shardings=replicated)(params)

    @jax.jit
    def step_fn(params, opt_state, tokens):
        loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    checkpointer = ocp.StandardCheckpointer()
    step, started = 0, time.time()
    for epoch in range(epochs):
        for host_tokens in loader.epoch(epoch):
            batch = jax.make_array_from_process_local_data(batch_sharding, host_tokens)
            params, opt_state, loss = step_fn(params, opt_state, batch)
            step += 1
            if step % 5 == 0:
                log_metrics(os.path.join(workdir, "log.jsonl"), {"step": step, "loss": float(loss), "t": time.time() - started})
        checkpointer.save(os.path.join(os.path.abspath(workdir), f"epoch_{epoch:03d}"), {"params": params, "opt": opt_state}, force=True)
    checkpointer.wait_until_finished()
    dist.barrier("done")
    return params
