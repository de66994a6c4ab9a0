import math
import random


class Pole:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def reset(self):
        self.angle, self.speed = self.rng.uniform(-0.05, 0.05), 0.0
        return self.angle, self.speed

    def step(self, push):
        self.speed += 0.1 * math.sin(self.angle) + 0.02 * push + self.rng.gauss(0, 0.005)
        self.angle += self.speed
        return (self.angle, self.speed), 1.0, abs(self.angle) > 0.5
