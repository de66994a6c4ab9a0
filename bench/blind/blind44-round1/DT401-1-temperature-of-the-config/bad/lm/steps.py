import jax
import jax.numpy as jnp
import optax


def apply(params, tokens):
    h = jnp.tanh(params["emb"][tokens] @ params["mix"])
    return h @ params["emb"].T


def train_step(params, tokens):
    def loss_fn(p):
        return optax.softmax_cross_entropy_with_integer_labels(apply(p, tokens[:, :-1]), tokens[:, 1:]).mean()

    grads = jax.lax.pmean(jax.grad(loss_fn)(params), "i")
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def eval_step(params, tokens, temperature):
    logp = jax.nn.log_softmax(apply(params, tokens[:, :-1]) / temperature)
    nll = -jnp.take_along_axis(logp, tokens[:, 1:, None], -1).mean()
    return jax.lax.pmean(nll, "i")


p_train = jax.pmap(train_step, axis_name="i", donate_argnums=0)
p_eval = jax.pmap(eval_step, axis_name="i")
