import torch


class GraphedStep:
    """Replays one captured training step on static inputs."""

    def __init__(self, model, optimizer, example_x, example_y):
        self.x, self.y = example_x.clone(), example_y.clone()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(11):
                self._once(model, optimizer)
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        optimizer.zero_grad(set_to_none=True)
        with torch.cuda.graph(self.graph):
            self.loss = self._once(model, optimizer)

    def _once(self, model, optimizer):
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.mse_loss(model(self.x), self.y)
        loss.backward()
        optimizer.step()
        return loss

    def __call__(self, x, y):
        self.x.copy_(x)
        self.y.copy_(y)
        self.graph.replay()
        return self.loss
