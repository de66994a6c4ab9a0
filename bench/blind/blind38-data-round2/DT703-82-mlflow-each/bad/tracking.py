import os
from contextlib import contextmanager

import mlflow


class Tracker:
    def __init__(self, active):
        self.active = active

    def scalars(self, values, step):
        if self.active:
            mlflow.log_metrics(values, step=step)

    def artifact(self, path):
        if self.active:
            mlflow.log_artifact(path)


@contextmanager
def tracked(experiment, options, main):
    mlflow.set_tracking_uri(os.environ.get("MLFLOW_TRACKING_URI", "http://tracking:5000"))
    mlflow.set_experiment(experiment)
    with mlflow.start_run(run_name=options["name"]):
        if main:
            mlflow.log_params(options)
        yield Tracker(main)
