import argparse
import time
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@struct.dataclass
class State:
    step: jax.Array
    params: dict
    opt_state: optax.OptState


@dataclass
class Throughput:
    started: float = field(default_factory=time.perf_counter)
    tokens: int = 0

    def per_second(self):
        return self.tokens / (time.perf_counter() - self.started)


def init_params(key, vocab, width):
    k_in, k_mid, k_out = jax.random.split(key, 3)
    return {
        "embed": jax.random.normal(k_in, (vocab, width)) * 0.02,
        "mid": jax.random.normal(k_mid, (width, width)) / np.sqrt(width),
        "out": jax.random.normal(k_out, (width, vocab)) / np.sqrt(width),
    }


def loss_fn(params, tokens):
    x = jax.nn.gelu(params["embed"][tokens[:, :-1]] @ params["mid"])
    return optax.softmax_cross_entropy_with_integer_labels(x @ params["out"], tokens[:, 1:]).mean()


class Pretrainer:
    def __init__(self, args):
        self.args = args
        self.mesh = Mesh(mesh_utils.create_device_mesh((jax.device_count(),)), ("data",))
        self.rows = NamedSharding(self.mesh, P("data"))
        everywhere = NamedSharding(self.mesh, P())
        self.tx = optax.lion(args.lr)
        params = init_params(jax.random.key(args.seed), args.vocab, args.width)
        state = State(step=jnp.zeros((), jnp.int32), params=params, opt_state=self.tx.init(params))
        self.state = jax.device_put(state, everywhere)
        self.train_step = jax.jit(self._train_step, donate_argnums=0)

    def _train_step(self, state, tokens):
        loss, grads = jax.value_and_grad(loss_fn)(state.params, tokens)
        updates, opt_state = self.tx.update(grads, state.opt_state, state.params)
        params = optax.apply_updates(state.params, updates)
        return state.replace(step=state.step + 1, params=params, opt_state=opt_state), {"loss": loss}

    def run(self, batches):
        meter = Throughput()
        for i, tokens in zip(range(self.args.steps), batches):
            tokens = jax.device_put(tokens, self.rows)
            state, metrics = self.train_step(self.state, tokens)
            meter.tokens += tokens.size
            if i % self.args.log_every == 0:
                delta = jax.tree.map(jnp.subtract, state.params, self.state.params)
                norm = float(optax.global_norm(delta))
                print(f"{i} loss {metrics['loss']:.4f} |delta| {norm:.5f} {meter.per_second():.0f} tok/s")
            self.state = state
        return self.state


def random_tokens(args):
    rng = np.random.default_rng(args.seed)
    while True:
        yield rng.integers(0, args.vocab, (args.batch, 65), dtype=np.int32)


def main():
    parser = argparse.ArgumentParser()
    for name, default in (("steps", 60), ("batch", 32), ("vocab", 512), ("width", 64), ("seed", 0), ("log-every", 10)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--lr", type=float, default=3e-4)
    args = parser.parse_args()
    Pretrainer(args).run(random_tokens(args))


if __name__ == "__main__":
    main()
