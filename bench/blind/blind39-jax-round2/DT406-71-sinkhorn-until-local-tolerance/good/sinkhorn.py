"""Entropic optimal transport, the source points sharded over the axis 'points'."""
import jax
import jax.numpy as jnp


def potentials(cost, log_a, log_b, epsilon, axis, tolerance=1e-4, max_turns=200):
    """cost: (local source points, targets). Returns the dual potentials f (local) and g (shared)."""

    def update_f(g):
        return epsilon * (log_a - jax.nn.logsumexp((g[None] - cost) / epsilon, axis=1))

    def update_g(f):
        scaled = (f[:, None] - cost) / epsilon
        top = jax.lax.pmax(scaled.max(axis=0), axis)
        total = jax.lax.psum(jnp.exp(scaled - top[None]).sum(axis=0), axis)
        return epsilon * (log_b - jnp.log(total) - top)

    def error(f, g):
        plan = jnp.exp((f[:, None] + g[None] - cost) / epsilon)
        local = jnp.abs(plan.sum(axis=1) - jnp.exp(log_a)).sum()
        return jax.lax.psum(local, axis)

    def more(carry):
        turn, f, g = carry
        return (turn < max_turns) & (error(f, g) > tolerance)

    def body(carry):
        turn, _, g = carry
        f = update_f(g)
        return turn + 1, f, update_g(f)

    start = update_f(jnp.zeros_like(log_b))
    turns, f, g = jax.lax.while_loop(more, body, (0, start, update_g(start)))
    return f, g, turns
