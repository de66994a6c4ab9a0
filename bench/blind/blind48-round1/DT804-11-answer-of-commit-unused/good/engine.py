class Engine:
    def __init__(self, manager, model, optimizer, loss_fn):
        self.manager, self.model = manager, model
        self.optimizer, self.loss_fn = optimizer, loss_fn

    def step(self, x, y):
        self.manager.start_quorum()
        self.optimizer.zero_grad()
        loss = self.loss_fn(self.model(x), y)
        loss.backward()
        for work in [self.manager.allreduce(p.grad) for p in self.model.parameters()]:
            work.wait()
        if self.manager.should_commit():
            self.optimizer.step()
        return loss.detach()
