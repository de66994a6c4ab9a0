import os
from functools import partial


def save(accelerator, folder, step):
    accelerator.save_state(os.path.join(folder, f"step{step}"))


def announce(folder, step):
    with open(os.path.join(folder, "latest"), "w") as f:
        f.write(str(step))


def install(bus, accelerator, folder):
    os.makedirs(folder, exist_ok=True)
    bus.on("checkpoint", partial(save, accelerator, folder))
    if accelerator.is_main_process:
        bus.on("checkpoint", partial(announce, folder))
