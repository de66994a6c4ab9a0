import time


class Every:
    made = 0

    def __init__(self, n, lead):
        self.n, self.lead, self.count = n, lead, 0
        self.began = time.perf_counter()
        type(self).made += 1

    def __call__(self):
        self.count += 1
        return self.count % self.n == 0

    def pace(self):
        if self.lead:
            now = time.perf_counter()
            print(f"{self.n / (now - self.began):.1f} steps/s")
            self.began = now
