from pathlib import Path


class Exporter:
    def __init__(self, accelerator, root, every):
        self.accelerator, self.root, self.every = accelerator, Path(root), every

    def __call__(self, model, step):
        if step % self.every:
            return
        self.accelerator.wait_for_everyone()
        if self.accelerator.is_main_process:
            plain = self.accelerator.unwrap_model(model)
            plain.save_pretrained(
                self.root / f"step{step}",
                is_main_process=True,
                save_function=self.accelerator.save,
                state_dict=self.accelerator.get_state_dict(model),
            )
