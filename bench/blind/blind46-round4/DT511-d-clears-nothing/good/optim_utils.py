import torch


def clear_gradients(module):
    """Frees the gradients before the next step."""
    for p in module.parameters():
        if p.grad is not None:
            p.grad = None


def global_norm(module):
    norms = [p.grad.norm() for p in module.parameters() if p.grad is not None]
    return torch.stack(norms).norm() if norms else torch.zeros(())
