import dataclasses

import torch
import torch.distributed as dist


@dataclasses.dataclass(frozen=True)
class Request:
    prompt: list
    length: int


class Session:
    def __init__(self, model, device):
        self.model, self.device = model, device

    def _exchange(self, request):
        slot = [request]
        dist.broadcast_object_list(slot, src=0)
        return slot[0]

    @torch.no_grad()
    def _generate(self, request):
        ids = torch.tensor(request.prompt, device=self.device)
        for _ in range(request.length):
            logits = self.model(ids)
            dist.all_reduce(logits)
            ids = torch.cat([ids, logits[-1].argmax(keepdim=True)])
        return ids.tolist()

    def ask(self, prompt, length):
        return self._generate(self._exchange(Request(prompt, length)))

    def stop(self):
        self._exchange(None)

    def follow(self):
        while (request := self._exchange(None)) is not None:
            self._generate(request)
