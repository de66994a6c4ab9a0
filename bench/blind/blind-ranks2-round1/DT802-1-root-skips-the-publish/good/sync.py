import torch


class TwoLevelSync:
    """Averages inside a pod at every round and between pods through the pod's root."""

    def __init__(self, model, inner, outer, is_root):
        self.model = model
        self.inner, self.outer = inner, outer
        self.is_root = is_root
        self.anchor = [p.detach().clone() for p in model.parameters()]

    def _reduce(self, manager, tensors):
        works = [manager.allreduce(t) for t in tensors]
        for work in works:
            work.wait()

    def inner_round(self):
        self.inner.start_quorum()
        weights = [p.detach().clone() for p in self.model.parameters()]
        self._reduce(self.inner, weights)
        if self.inner.should_commit():
            self._assign(weights)

    @torch.no_grad()
    def outer_round(self):
        """The roots average their movement; the pod learns it from its root."""
        pod_size = max(self.inner.num_participants(), 1)
        movement = [p - a for p, a in zip(self.model.parameters(), self.anchor)]
        if self.is_root:
            self.outer.start_quorum()
            self._reduce(self.outer, movement)
            if not self.outer.should_commit():
                movement = [torch.zeros_like(m) for m in movement]
        else:
            movement = [torch.zeros_like(m) for m in movement]
        self.inner.start_quorum()
        self._reduce(self.inner, movement)
        movement = [m * pod_size for m in movement]
        if self.inner.should_commit():
            self._assign([a + m for a, m in zip(self.anchor, movement)])
            self.anchor = [p.detach().clone() for p in self.model.parameters()]

    @torch.no_grad()
    def _assign(self, values):
        for parameter, value in zip(self.model.parameters(), values):
            parameter.copy_(value)
