#!/usr/bin/env bash
set -euo pipefail
TPU=pod-a
ZONE=us-central2-b

gcloud compute tpus tpu-vm scp --recurse --worker=all --zone="$ZONE" ./train "$TPU":~/
gcloud compute tpus tpu-vm ssh "$TPU" --zone="$ZONE" --worker=all --command="pip install -q flax optax"
gcloud compute tpus tpu-vm ssh "$TPU" --zone="$ZONE" --worker=all \
  --command="cd ~/train && python3 main.py --steps 1000"
