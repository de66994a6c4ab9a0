from lightning.fabric.utilities import rank_zero_only


class Report:
    def __init__(self, fabric, path):
        self.fabric, self.path = fabric, path
        self.rows = []

    @rank_zero_only
    def epoch(self, number, total, count):
        total = self.fabric.all_reduce(total, reduce_op="sum")
        count = self.fabric.all_reduce(count, reduce_op="sum")
        self.rows.append((number, (total / count).item()))

    @rank_zero_only
    def close(self):
        with open(self.path, "w") as out:
            out.writelines(f"{n}\t{v:.5f}\n" for n, v in self.rows)
