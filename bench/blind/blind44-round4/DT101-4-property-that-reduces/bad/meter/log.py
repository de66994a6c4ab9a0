class Line:
    def __init__(self, lead):
        self.lead = lead

    def __call__(self, epoch, stats):
        if self.lead:
            print(f"epoch {epoch:3d}  loss {stats.mean:.4f}")
