import torch


class NoiseSource:
    """Timesteps and noise for denoising training."""

    def __init__(self, seed, device, num_steps=1000):
        self.num_steps = num_steps
        self.device = device
        self.generator = torch.Generator(device=device).manual_seed(seed)
        betas = torch.linspace(1e-4, 0.02, num_steps, device=device)
        self.alpha_bar = torch.cumprod(1.0 - betas, dim=0)

    def corrupt(self, x):
        t = torch.randint(0, self.num_steps, (x.shape[0],), generator=self.generator, device=self.device)
        eps = torch.randn(x.shape, generator=self.generator, device=self.device)
        a = self.alpha_bar[t].unsqueeze(1)
        return a.sqrt() * x + (1 - a).sqrt() * eps, t, eps
