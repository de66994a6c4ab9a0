import torch


class Packer:
    """Fills rows of a fixed width with documents."""

    def __init__(self, width, rows):
        self.width, self.rows = width, rows

    def rows_of(self, docs):
        open_row = []
        for ids in docs:
            open_row.extend(ids)
            while len(open_row) >= self.width:
                yield torch.tensor(open_row[: self.width])
                open_row = open_row[self.width :]

    def __call__(self, docs):
        held = []
        for row in self.rows_of(docs):
            held.append(row)
            if len(held) == self.rows:
                yield torch.stack(held)
                held = []
