import os

from transformers import Trainer


class ExportingTrainer(Trainer):
    """Keeps an export beside the checkpoints."""

    export_every = 500

    def training_step(self, model, inputs, *args, **kwargs):
        loss = super().training_step(model, inputs, *args, **kwargs)
        step = self.state.global_step
        if step and step % self.export_every == 0:
            self.export(step)
        return loss

    def export(self, step):
        target = os.path.join(self.args.output_dir, f"export-{step}")
        if self.is_world_process_zero():
            self.save_model(target)
            with open(os.path.join(target, "STEP"), "w") as file:
                file.write(str(step))
