import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt


class Curve:
    def __init__(self, path):
        self.path = path
        self.values = []

    def add(self, value):
        self.values.append(value)
        figure, axis = plt.subplots()
        axis.plot(self.values)
        axis.set_xlabel("epoch")
        figure.savefig(self.path)
        plt.close(figure)
