import jax
import jax.numpy as jnp


def loss_fn(params, x, mask, mode):
    pred = jnp.tanh(x @ params["w"]) @ params["v"]
    err = pred - x[..., 0]
    match mode:
        case "l1":
            each = jnp.abs(err)
        case "l2":
            each = err**2
        case _:
            raise ValueError(mode)
    return jnp.sum(each * mask) / jnp.sum(mask)


def update(lr, params, x, mask, mode):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, mask, mode)
    grads, loss = jax.lax.pmean((grads, loss), "i")
    return jax.tree.map(lambda p, g: p - lr * g, params, grads), loss
