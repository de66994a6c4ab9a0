import torch
import torch.distributed as dist


class LeadEval:
    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    @torch.inference_mode()
    def measure(self, net):
        net.eval()
        errors = [(net(x.to(self.device)) - y.to(self.device)).abs().flatten() for x, y in self.loader]
        net.train()
        return torch.cat(errors).mean()

    def __call__(self, net):
        score = self.measure(net) if dist.get_rank() == 0 else torch.empty((), device=self.device)
        score = score.clone()
        dist.broadcast(score, src=0)
        return score.item()
