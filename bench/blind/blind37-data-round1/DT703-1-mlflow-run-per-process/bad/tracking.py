import os

import mlflow


class Tracker:
    """MLflow behind the three calls the loop makes."""

    def __init__(self, experiment, params, rank):
        self.rank = rank
        mlflow.set_tracking_uri(os.environ.get("MLFLOW_URI", "http://mlflow:5000"))
        mlflow.set_experiment(experiment)
        self.run = mlflow.start_run()
        mlflow.log_params(params)

    def metric(self, step, **values):
        mlflow.log_metrics(values, step=step)

    def close(self):
        mlflow.end_run()
