class Outer:
    """Averages the weights between the replica groups every `period` steps."""

    def __init__(self, manager, params, rank, period):
        self.manager, self.params, self.rank, self.period = manager, list(params), rank, period
        self.count = 0

    def step(self):
        self.count += 1
        if self.count % self.period:
            return
        self.manager.start_quorum()
        kept = [p.data.clone() for p in self.params]
        for p in self.params:
            self.manager.allreduce(p.data).wait()
        if not self.manager.should_commit():
            for p, old in zip(self.params, kept):
                p.data.copy_(old)
