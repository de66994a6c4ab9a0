"""Image captioning head on frozen features; pmap per host, gradients averaged over all hosts."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import ml_collections
import numpy as np
import optax
from absl import app
from flax import jax_utils
from flax.training.train_state import TrainState


def default_config():
    cfg = ml_collections.ConfigDict()
    cfg.seed = 7
    cfg.vocab = 4096
    cfg.feature_dim = 512
    cfg.per_device = 32
    cfg.steps = 20_000
    cfg.lr = 1e-3
    return cfg


class Head(nn.Module):
    vocab: int

    @nn.compact
    def __call__(self, features, train):
        h = nn.relu(nn.Dense(1024)(features))
        h = nn.Dropout(0.2, deterministic=not train)(h)
        return nn.Dense(self.vocab)(h)


def build_state(cfg, init_rng):
    model = Head(cfg.vocab)
    variables = model.init(init_rng, jnp.ones((1, cfg.feature_dim)), train=False)
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(cfg.lr))
    return TrainState.create(apply_fn=model.apply, params=variables["params"], tx=tx)


def step_fn(state, features, words, rng):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, features, train=True, rngs={"dropout": rng})
        return optax.softmax_cross_entropy_with_integer_labels(logits, words).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    loss, grads = jax.lax.pmean((loss, grads), axis_name="hosts_devices")
    return state.apply_gradients(grads=grads), loss


def feature_batches(cfg):
    shard = np.load(f"features-{jax.process_index():03d}-of-{jax.process_count():03d}.npz")
    rng = np.random.default_rng(cfg.seed + jax.process_index())
    lanes = jax.local_device_count()
    while True:
        rows = rng.integers(0, len(shard["words"]), size=(lanes, cfg.per_device))
        yield shard["features"][rows], shard["words"][rows]


def main(_):
    cfg = default_config()
    jax.distributed.initialize()
    rng = jax.random.PRNGKey(cfg.seed)
    rng, init_rng = jax.random.split(rng)
    state = jax_utils.replicate(build_state(cfg, init_rng))
    rng = jax.random.fold_in(rng, jax.process_index())
    p_step = jax.pmap(step_fn, axis_name="hosts_devices", donate_argnums=0)
    source = feature_batches(cfg)
    for step in range(cfg.steps):
        features, words = next(source)
        rng, step_rng = jax.random.split(rng)
        state, loss = p_step(state, features, words, jax.random.split(step_rng, jax.local_device_count()))
        if step % 500 == 0 and jax.process_index() == 0:
            print(f"{step:6d} {float(loss[0]):.4f}")


if __name__ == "__main__":
    app.run(main)
