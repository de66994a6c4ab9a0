import time
from pathlib import Path

from lightning.pytorch.callbacks import Callback


class LastWords(Callback):
    def __init__(self, folder):
        self.folder = Path(folder)
        self.started = time.time()

    def on_exception(self, trainer, pl_module, exception):
        note = self.folder / f"rank{trainer.global_rank}.log"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"{time.time() - self.started:.0f}s: {exception!r}\n")
        print("wrote", note)
