import json
import os

from transformers import Trainer, TrainerCallback

from hf.losses import focal


class FocalTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = focal(outputs.logits, labels)
        return (loss, outputs) if return_outputs else loss


class Report(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        if state.is_world_process_zero:
            with open(os.path.join(args.output_dir, "report.json"), "w") as f:
                json.dump({"step": state.global_step, **(metrics or {})}, f)
