import jax
import jax.numpy as jnp
import optax
from flax import jax_utils
from flax.training.common_utils import shard

from tokens import batches

VOCAB, DIM = 256, 64


def init(key):
    k1, k2 = jax.random.split(key)
    return {"emb": 0.02 * jax.random.normal(k1, (VOCAB, DIM)), "out": 0.02 * jax.random.normal(k2, (DIM, VOCAB))}


def loss_fn(params, tokens):
    logits = params["emb"][tokens[:, :-1]] @ params["out"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def main(per_host=32, length=128, steps=1000):
    jax.distributed.initialize()
    tx = optax.adamw(3e-4)
    params = init(jax.random.PRNGKey(0))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)

    def step(params, opt_state, tokens):
        loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
        grads = jax.lax.pmean(grads, "batch")
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "batch")

    p_step = jax.pmap(step, axis_name="batch", donate_argnums=(0, 1))
    for i, tokens in zip(range(steps), batches(per_host, length)):
        params, opt_state, loss = p_step(params, opt_state, shard(tokens))
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    main()
