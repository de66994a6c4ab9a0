#!/bin/bash
set -e
NAME=${TPU_NAME:-sweep}
ZONE=${ZONE:-us-central2-b}
TYPE=v4-32

on_pod() {
  gcloud compute tpus tpu-vm ssh "$NAME" --zone "$ZONE" --command "$1"
}

gcloud compute tpus tpu-vm create "$NAME" --zone "$ZONE" --accelerator-type "$TYPE" --version tpu-ubuntu2204-base
gcloud compute tpus tpu-vm scp --recurse . "$NAME":~/job --zone "$ZONE" --worker=all
on_pod "cd ~/job && pip install -q -r requirements.txt"
on_pod "cd ~/job && python3 train.py --steps 2000"
