"""Fully sharded training over every device of every host, each host reading its own part of the data.

One host with four virtual devices: `python fixed.py --virtual-devices 4`. On a TPU pod: `./run_tpu.sh fixed.py --pod`.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pod", action="store_true", help="one process per host, found through the TPU metadata")
    parser.add_argument("--coordinator", help="host:port of process 0, where there is no TPU metadata to ask")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--process-id", type=int, default=0)
    parser.add_argument("--virtual-devices", type=int, default=0)
    parser.add_argument("--corpus", type=Path, default=Path("corpus.jsonl"))
    parser.add_argument("--output", type=Path, default=Path("output").absolute())
    parser.add_argument("--batch-size", type=int, default=64, help="rows of one step, over all hosts")
    parser.add_argument("--grad-accum-steps", type=int, default=2)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--save-every", type=int, default=100)
    parser.add_argument("--prefetch-batches", type=int, default=16)
    return parser.parse_args()


if __name__ == "__main__":
    arguments = parse_arguments()
    if arguments.virtual_devices or arguments.coordinator:
        os.environ["JAX_PLATFORMS"] = "cpu"
    if arguments.virtual_devices:
        os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={arguments.virtual_devices}"

import jax
import numpy as np
import optax
import orbax.checkpoint as ocp
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from corpus import write_corpus
from documents import batches, prefetched
from network import fsdp_sharding, init_params, loss_fn


def initialise(arguments: argparse.Namespace) -> None:
    """Before anything that asks for devices."""
    if arguments.pod:
        jax.distributed.initialize()
    elif arguments.coordinator:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(arguments.coordinator, arguments.processes, arguments.process_id)


def build(mesh: Mesh, accumulation: int):
    """Parameters and optimizer state born sharded, and the step that keeps them so."""
    optimizer = optax.MultiSteps(optax.adamw(3e-3), every_k_schedule=accumulation)

    def init(key):
        params = init_params(key)
        return params, optimizer.init(params)

    key = jax.random.key(0)
    shardings = fsdp_sharding(mesh, jax.eval_shape(init, key))
    state = jax.jit(init, out_shardings=shardings)(key)
    rows = NamedSharding(mesh, PartitionSpec("dp"))
    everywhere = NamedSharding(mesh, PartitionSpec())

    def step(state, tokens):
        params, opt_state = state
        loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return (optax.apply_updates(params, updates), opt_state), loss

    compiled = jax.jit(
        step, in_shardings=(shardings, rows), out_shardings=(shardings, everywhere), donate_argnums=(0,)
    )
    return state, compiled, rows


def prepare_corpus(path: Path) -> None:
    if jax.process_index() == 0 and not path.exists():
        write_corpus(path)
    multihost_utils.sync_global_devices("corpus written")


def train(arguments: argparse.Namespace) -> None:
    initialise(arguments)
    processes, process = jax.process_count(), jax.process_index()
    prepare_corpus(arguments.corpus)
    mesh = Mesh(np.asarray(jax.devices()), ("dp",))
    assert arguments.batch_size % mesh.size == 0, f"batch size must divide by {mesh.size} devices"
    state, step, rows = build(mesh, arguments.grad_accum_steps)
    print(f"[process {process}/{processes}] reads every {processes}th document from {process} on", flush=True)
    local = batches(arguments.corpus, arguments.batch_size // processes, process, processes)
    source = prefetched(local, arguments.prefetch_batches)
    # Every host takes part in saving: each of them holds a piece of the state.
    options = ocp.CheckpointManagerOptions(max_to_keep=2)
    with ocp.CheckpointManager(arguments.output / "checkpoints", options=options) as saver:
        for number in range(1, arguments.steps + 1):
            tokens = jax.make_array_from_process_local_data(rows, next(source))
            state, loss = step(state, tokens)
            if number == 1 or number % 50 == 0:
                log(arguments.output, process, number, float(loss))
            if number % arguments.save_every == 0:
                saver.save(number, args=ocp.args.StandardSave(state))
        saver.wait_until_finished()


def log(output: Path, process: int, number: int, loss: float) -> None:
    """The loss is the same number on every host, so one of them may write it down."""
    if process != 0:
        return
    output.mkdir(parents=True, exist_ok=True)
    with (output / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"step": number, "loss": loss}) + "\n")
    print(f"step {number} loss {loss:.4f}", flush=True)


if __name__ == "__main__":
    train(arguments)
