#!/usr/bin/env bash
# Brings the code onto a v4-32 and starts the training.
set -euo pipefail
TPU=${TPU:-mixer-32}
ZONE=${ZONE:-us-central2-b}

run() {
  gcloud compute tpus tpu-vm ssh "$TPU" --zone "$ZONE" --command "$1"
}

run "pip install -q 'jax[tpu]' flax optax -f https://storage.googleapis.com/jax-releases/libtpu_releases.html"
gcloud compute tpus tpu-vm scp --zone "$ZONE" --worker=all --recurse src "$TPU":~/
run "cd src && nohup python train.py --steps 100000 > train.log 2>&1"
