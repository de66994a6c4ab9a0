class Line:
    def __init__(self, lead):
        self.lead = lead

    def __call__(self, epoch, stats):
        mean = stats.mean
        if self.lead:
            print(f"epoch {epoch:3d}  loss {mean:.4f}")
