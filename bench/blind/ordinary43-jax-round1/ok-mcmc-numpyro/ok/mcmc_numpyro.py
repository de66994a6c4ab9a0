"""Hierarchical model with numpyro, chains in parallel, posterior predictive."""
import argparse

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS, Predictive

numpyro.set_host_device_count(4)


def model(x, group, y=None):
    mu = numpyro.sample("mu", dist.Normal(0.0, 5.0))
    tau = numpyro.sample("tau", dist.HalfCauchy(5.0))
    with numpyro.plate("groups", 8):
        theta = numpyro.sample("theta", dist.Normal(mu, tau))
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    with numpyro.plate("data", x.shape[0]):
        numpyro.sample("obs", dist.Normal(theta[group] + slope * x, 0.5), obs=y)


def simulate(key, n):
    kx, kg, kt, ky = jax.random.split(key, 4)
    x = jax.random.normal(kx, (n,))
    group = jax.random.randint(kg, (n,), 0, 8)
    theta = jax.random.normal(kt, (8,))
    return x, group, theta[group] + 0.7 * x + 0.5 * jax.random.normal(ky, (n,))


def run(args):
    key = jax.random.PRNGKey(args.seed)
    key, sim_key = jax.random.split(key)
    x, group, y = simulate(sim_key, 200)
    key, mcmc_key = jax.random.split(key)
    mcmc = MCMC(NUTS(model), num_warmup=args.warmup, num_samples=args.samples, num_chains=4)
    mcmc.run(mcmc_key, x, group, y=y)
    mcmc.print_summary()
    key, pred_key = jax.random.split(key)
    predictive = Predictive(model, mcmc.get_samples())
    obs = predictive(pred_key, x, group)["obs"]
    print(jnp.mean((obs.mean(0) - y) ** 2))


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--warmup", type=int, default=100)
    p.add_argument("--samples", type=int, default=100)
    run(p.parse_args())
