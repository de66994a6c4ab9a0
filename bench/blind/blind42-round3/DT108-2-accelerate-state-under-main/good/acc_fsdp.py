"""FSDP through Accelerate with a hand-written final save."""
import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin
from torch.utils.data import DataLoader, TensorDataset
from transformers import AutoModelForCausalLM


class Saver:
    def __init__(self, accelerator, folder):
        self.accelerator, self.folder = accelerator, folder

    def __call__(self, model):
        state = self.accelerator.get_state_dict(model)
        if not self.accelerator.is_main_process:
            return
        self.accelerator.unwrap_model(model).save_pretrained(self.folder, state_dict=state)


def main(epochs=1):
    plugin = FullyShardedDataParallelPlugin(fsdp_version=1, auto_wrap_policy="transformer_based_wrap")
    accelerator = Accelerator(mixed_precision="bf16", fsdp_plugin=plugin)
    model = AutoModelForCausalLM.from_pretrained("EleutherAI/pythia-1.4b")
    data = TensorDataset(torch.load("ids.pt", map_location="cpu").long())
    loader = DataLoader(data, 2, shuffle=True, drop_last=True)
    model = accelerator.prepare(model)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-5)
    optimizer, loader = accelerator.prepare(optimizer, loader)
    saver = Saver(accelerator, "final")
    for _ in range(epochs):
        for (ids,) in loader:
            loss = model(input_ids=ids, labels=ids).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        saver(model)
    accelerator.wait_for_everyone()
    accelerator.end_training()


if __name__ == "__main__":
    main()
