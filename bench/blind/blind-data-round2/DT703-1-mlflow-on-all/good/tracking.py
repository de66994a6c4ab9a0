from contextlib import contextmanager

import mlflow
import torch.distributed as dist


@contextmanager
def tracked(experiment, params):
    lead = dist.get_rank() == 0
    if lead:
        mlflow.set_experiment(experiment)
        mlflow.start_run()
        mlflow.log_params(params)
    try:
        yield (lambda **values: mlflow.log_metrics(values)) if lead else (lambda **values: None)
    finally:
        if lead:
            mlflow.end_run()
