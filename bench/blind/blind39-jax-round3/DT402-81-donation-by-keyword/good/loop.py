from collections import deque


class Loop:
    def __init__(self, step, report_every=50):
        self.step, self.report_every = step, report_every
        self.recent = deque(maxlen=report_every)

    def run(self, state, batches):
        for number, batch in enumerate(batches, start=1):
            state, metrics = self.step(state, batch)
            self.recent.append(metrics)
            if number % self.report_every == 0:
                losses = [float(one["loss"][0]) for one in self.recent]
                print(f"step {number}: loss {sum(losses) / len(losses):.4f}")
        return state
