import pathlib

import torch
from torch.profiler import ProfilerActivity, profile, schedule


def profiler(folder, rank):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)

    def ready(p):
        p.export_chrome_trace(str(folder / f"rank{rank}_{p.step_num}.json"))

    return profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=2, warmup=1, active=2, repeat=1), on_trace_ready=ready)
