import contextlib
import json
import time

import torch
import torch.distributed as dist


@contextlib.contextmanager
def journal(path, rank):
    started = time.time()
    entry = {"rank": rank, "state": "running"}
    try:
        yield entry
    except BaseException as error:
        entry["state"] = f"failed: {type(error).__name__}"
        raise
    else:
        seconds = torch.tensor(time.time() - started)
        dist.all_reduce(seconds, op=dist.ReduceOp.MAX)
        entry["state"] = "done"
        entry["seconds"] = seconds.item()
    finally:
        with open(f"{path}.{rank}.json", "w") as f:
            json.dump(entry, f)
