from contextlib import contextmanager

import mlflow
import torch.distributed as dist


@contextmanager
def tracked(experiment, params):
    mlflow.set_experiment(experiment)
    mlflow.start_run()
    mlflow.log_params(params)
    try:
        yield lambda **values: mlflow.log_metrics(values)
    finally:
        mlflow.end_run()
