#!/usr/bin/env bash
set -euo pipefail
NAME=${NAME:-research-v4-32}
ZONE=${ZONE:-us-central2-b}

on_pod() {
  gcloud compute tpus tpu-vm ssh "$NAME" --zone "$ZONE" --worker=all --command "$1"
}

gcloud compute tpus tpu-vm create "$NAME" --zone "$ZONE" --accelerator-type v4-32 --version tpu-ubuntu2204-base
gcloud compute tpus tpu-vm scp --recurse . "$NAME":~/code --zone "$ZONE" --worker=all
on_pod "cd ~/code && pip install -r requirements.txt"
on_pod "cd ~/code && python3 train.py"
