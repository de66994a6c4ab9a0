import dataclasses

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from transformers import AutoTokenizer

from corpus import TokenWindows


@dataclasses.dataclass(frozen=True)
class Config:
    dataset: str = "allenai/c4"
    seq_len: int = 512
    global_batch: int = 256
    data_seed: int = 11
    width: int = 256
    steps: int = 10_000


class Bigram(nn.Module):
    vocab: int
    width: int

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(self.vocab, self.width)(tokens)
        x = nn.gelu(nn.Dense(self.width)(x))
        return nn.Dense(self.vocab)(x)


def train_step(state, window):
    inputs, targets = window[:, :-1], window[:, 1:]

    def loss_fn(params):
        logits = state.apply_fn({"params": params}, inputs)
        return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main():
    jax.distributed.initialize()
    cfg = Config()
    mesh = Mesh(jax.devices(), ("data",))
    rows = NamedSharding(mesh, P("data"))
    whole = NamedSharding(mesh, P())
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    model = Bigram(len(tokenizer), cfg.width)
    params = model.init(jax.random.key(0), jnp.zeros((1, cfg.seq_len), jnp.int32))["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(3e-4))
    state = jax.device_put(state, whole)
    step_fn = jax.jit(train_step, donate_argnums=0, out_shardings=(whole, whole))
    per_host = cfg.global_batch // jax.process_count()
    for step, local in enumerate(TokenWindows(cfg, tokenizer).batches(per_host)):
        if step == cfg.steps:
            break
        window = jax.make_array_from_process_local_data(rows, local)
        state, loss = step_fn(state, window)
        if step % 100 == 0 and jax.process_index() == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
