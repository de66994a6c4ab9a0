import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from policy import Policy, make_actor


def demonstrations(seed, each):
    rng = np.random.default_rng(seed)
    while True:
        obs = rng.normal(size=(jax.local_device_count(), each, 5)).astype(np.float32)
        yield obs, np.digitize(obs.sum(-1), [-1.0, 1.0])


def main(steps=15):
    policy, tx = Policy(), optax.adam(3e-3)
    actor = jax_utils.replicate(make_actor(policy, tx, jax.random.key(0), 5))

    def clone(actor, obs, actions):
        def loss_fn(params):
            logits = policy.apply(params, obs)
            return optax.softmax_cross_entropy_with_integer_labels(logits, actions).mean()

        loss, grads = jax.value_and_grad(loss_fn)(actor.params)
        loss, grads = jax.lax.pmean((loss, grads), "actors")
        updates, opt_state = tx.update(grads, actor.opt_state)
        return actor.replace(params=optax.apply_updates(actor.params, updates), opt_state=opt_state), loss

    p_clone = jax.pmap(clone, axis_name="actors", donate_argnums=(0,))
    for _, (obs, actions) in zip(range(steps), demonstrations(0, 16)):
        actor, loss = p_clone(actor, obs, actions)
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
