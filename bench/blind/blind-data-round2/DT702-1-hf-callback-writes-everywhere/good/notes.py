import json
import time
from pathlib import Path

from transformers import TrainerCallback


class RunNotes(TrainerCallback):
    """Keeps a small JSON beside the checkpoints."""

    def __init__(self, title):
        self.title = title
        self.started = time.time()

    def on_save(self, args, state, control, **kwargs):
        if not state.is_world_process_zero:
            return
        path = Path(args.output_dir) / "notes.json"
        notes = json.loads(path.read_text()) if path.exists() else []
        notes.append({"title": self.title, "step": state.global_step, "hours": (time.time() - self.started) / 3600})
        path.write_text(json.dumps(notes, indent=1))
