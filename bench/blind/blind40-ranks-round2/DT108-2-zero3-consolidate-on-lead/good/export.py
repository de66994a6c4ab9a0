import json
import pathlib


class Exporter:
    """Writes half-precision weights and a small model card beside them."""

    def __init__(self, engine, root, rank):
        self.engine, self.rank = engine, rank
        self.root = pathlib.Path(root)

    def _card(self, folder, step, loss):
        (folder / "card.json").write_text(json.dumps({"step": step, "loss": loss}))

    def __call__(self, step, loss):
        folder = self.root / f"step{step}"
        self.engine.save_16bit_model(str(folder), "model.bin")
        if self.rank == 0:
            folder.mkdir(parents=True, exist_ok=True)
            self._card(folder, step, loss)
