import torch


@torch.no_grad()
def limit_gradients(module, bound: float) -> None:
    """Clip every gradient entry to [-bound, bound]."""
    for parameter in module.parameters():
        if parameter.grad is None:
            continue
        parameter.grad.clamp_(min=-bound, max=bound)
