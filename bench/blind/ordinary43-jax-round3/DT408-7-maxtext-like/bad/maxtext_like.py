"""Config from YAML + argv, mesh with data/fsdp/tensor, logical axes, initialize for several clusters, loop with data iterator."""
import os
import sys
from typing import Sequence

import jax
import jax.numpy as jnp
import numpy as np
import optax
import yaml
from absl import app, logging
from flax import linen as nn
from flax.linen import partitioning as nn_partitioning
from flax.training import train_state
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

DEFAULTS = """
run_name: test
base_output: /tmp/runs
per_device_batch_size: 2
steps: 4
ici_data: 1
ici_fsdp: -1
ici_tensor: 1
seed: 0
logical_rules: [[batch, [data, fsdp]], [embed, fsdp], [mlp, tensor], [vocab, tensor]]
"""


class Config:
    def __init__(self, argv):
        raw = yaml.safe_load(DEFAULTS)
        for arg in argv[1:]:
            k, v = arg.split("=", 1)
            raw[k] = type(raw[k])(v)
        raw["global_batch"] = int(raw["per_device_batch_size"] * jax.device_count())
        self.__dict__.update(raw)
        self.logical_rules = tuple((k, tuple(v) if isinstance(v, list) else v) for k, v in self.logical_rules)


def maybe_initialize():
    logging.info("%d devices", jax.device_count())
    if os.environ.get("SLURM_NTASKS", "1") != "1" or "JAX_COORDINATOR_ADDRESS" in os.environ:
        jax.distributed.initialize()


def create_mesh(cfg):
    shape = [cfg.ici_data, cfg.ici_fsdp, cfg.ici_tensor]
    rest = jax.device_count() // int(np.prod([s for s in shape if s > 0]))
    shape = [rest if s == -1 else s for s in shape]
    return Mesh(mesh_utils.create_device_mesh(shape), ("data", "fsdp", "tensor"))


class Decoder(nn.Module):
    vocab: int = 64
    width: int = 16

    @nn.compact
    def __call__(self, tokens):
        part = nn_partitioning.param_with_axes
        init = nn.initializers.normal(0.02)
        emb = part("emb", init, (self.vocab, self.width), axes=("vocab", "embed"))
        up = part("up", init, (self.width, 4 * self.width), axes=("embed", "mlp"))
        down = part("down", init, (4 * self.width, self.width), axes=("mlp", "embed"))
        x = emb[tokens]
        x = nn_partitioning.with_sharding_constraint(x, ("batch", None, None))
        x = x + nn.relu(x @ up) @ down
        return x @ emb.T


class DataIterator:
    def __init__(self, cfg, mesh):
        self.sharding = NamedSharding(mesh, P(("data", "fsdp"), None))
        self.rng = np.random.default_rng((cfg.seed, jax.process_index()))
        self.rows = cfg.global_batch // jax.process_count()
        self.shape = (cfg.global_batch, 17)

    def __next__(self):
        local = self.rng.integers(0, 64, (self.rows, 17), dtype=np.int32)
        return jax.make_array_from_process_local_data(self.sharding, local, self.shape)


def train(cfg):
    mesh = create_mesh(cfg)
    model = Decoder()
    init_rng = jax.random.PRNGKey(cfg.seed)
    tx = optax.adam(1e-3)

    def init(rng):
        params = model.init(rng, jnp.ones((1, 16), jnp.int32))["params"]
        return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=tx)

    def train_step(state, batch):
        def loss_fn(params):
            logits = state.apply_fn({"params": params}, batch[:, :-1])
            return optax.softmax_cross_entropy_with_integer_labels(logits, batch[:, 1:]).mean()

        loss, grads = jax.value_and_grad(loss_fn)(state.params)
        return state.apply_gradients(grads=grads), {"loss": loss, "grad_norm": optax.global_norm(grads)}

    data = DataIterator(cfg, mesh)
    with mesh, nn_partitioning.axis_rules(cfg.logical_rules):
        state = jax.jit(init)(init_rng)
        p_step = jax.jit(train_step, donate_argnums=(0,))
        for step in range(cfg.steps):
            state, metrics = p_step(state, next(data))
            if step % 2 == 0:
                logging.info("step %d: %s", step, jax.tree_util.tree_map(float, metrics))
    return state


def main(argv: Sequence[str]):
    maybe_initialize()
    cfg = Config(argv)
    if jax.process_index() == 0:
        os.makedirs(os.path.join(cfg.base_output, cfg.run_name), exist_ok=True)
        with open(os.path.join(cfg.base_output, cfg.run_name, "config.yml"), "w") as f:
            yaml.safe_dump({k: v for k, v in vars(cfg).items() if k != "logical_rules"}, f)
    train(cfg)


if __name__ == "__main__":
    app.run(main)
