import contextlib
import dataclasses

import mlflow


class Silent:
    def log(self, step, **metrics):
        pass


class Tracker:
    def log(self, step, **metrics):
        mlflow.log_metrics(metrics, step=step)


@contextlib.contextmanager
def tracking(config, active):
    """A run of the experiment for the length of the block."""
    if not active:
        yield Silent()
        return
    mlflow.set_experiment(config.experiment)
    with mlflow.start_run(run_name=config.name):
        mlflow.log_params(dataclasses.asdict(config))
        yield Tracker()
