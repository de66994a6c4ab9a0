"""A VAE with flax linen: rngs dict of several streams, make_rng inside."""
import jax
import jax.numpy as jnp
import optax
from absl import app, flags
from flax import linen as nn
from flax.training import train_state

FLAGS = flags.FLAGS
flags.DEFINE_integer("latents", 4, "latent size")
flags.DEFINE_integer("epochs", 2, "epochs")
flags.DEFINE_float("lr", 1e-3, "learning rate")


class VAE(nn.Module):
    latents: int

    def setup(self):
        self.enc = nn.Dense(32)
        self.mean = nn.Dense(self.latents)
        self.logvar = nn.Dense(self.latents)
        self.dec = nn.Sequential([nn.Dense(32), nn.relu, nn.Dense(16)])

    def __call__(self, x):
        h = nn.relu(self.enc(x))
        mean, logvar = self.mean(h), self.logvar(h)
        z = self.sample(mean, logvar)
        return self.dec(z), mean, logvar

    def sample(self, mean, logvar):
        eps = jax.random.normal(self.make_rng("latent"), mean.shape)
        return mean + eps * jnp.exp(0.5 * logvar)

    def generate(self, z):
        return nn.sigmoid(self.dec(z))


@jax.jit
def train_step(state, batch, key):
    def loss_fn(params):
        recon, mean, logvar = state.apply_fn({"params": params}, batch, rngs={"latent": key})
        bce = optax.sigmoid_binary_cross_entropy(recon, batch).sum(-1).mean()
        kld = -0.5 * jnp.sum(1 + logvar - mean**2 - jnp.exp(logvar), -1).mean()
        return bce + kld

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main(argv):
    del argv
    rng = jax.random.key(0)
    rng, params_key, latent_key, data_key = jax.random.split(rng, 4)
    model = VAE(FLAGS.latents)
    variables = model.init({"params": params_key, "latent": latent_key}, jnp.ones((1, 16)))
    state = train_state.TrainState.create(apply_fn=model.apply, params=variables["params"], tx=optax.adam(FLAGS.lr))
    images = jax.random.bernoulli(data_key, 0.3, (256, 16)).astype(jnp.float32)

    rng, z_key, eval_key = jax.random.split(rng, 3)
    fixed_z = jax.random.normal(z_key, (8, FLAGS.latents))
    for epoch in range(FLAGS.epochs):
        rng, shuffle_key = jax.random.split(rng)
        for i, idx in enumerate(jax.random.permutation(shuffle_key, 256).reshape(-1, 32)):
            rng, key = jax.random.split(rng)
            state, loss = train_step(state, images[idx], key)
        recon, _, _ = state.apply_fn({"params": state.params}, images[:8], rngs={"latent": eval_key})
        sample = model.apply({"params": state.params}, fixed_z, method=VAE.generate)
        print(epoch, float(loss), recon.shape, sample.shape)


if __name__ == "__main__":
    app.run(main)
