#!/usr/bin/env bash
# usage: tpu.sh {create|setup|start|stop} NAME
set -euo pipefail

ZONE=us-east5-b
PROJECT=seq-research
TYPE=v5litepod-64

on_pod() {
  local name=$1
  shift
  gcloud compute tpus tpu-vm ssh "$name" --zone "$ZONE" --project "$PROJECT" --command "$*"
}

case "$1" in
  create)
    gcloud compute tpus tpu-vm create "$2" --zone "$ZONE" --project "$PROJECT" \
      --accelerator-type "$TYPE" --version v2-alpha-tpuv5-lite
    ;;
  setup)
    gcloud compute tpus tpu-vm scp --recurse src "$2": --zone "$ZONE" --project "$PROJECT" --worker=all
    ;;
  start)
    on_pod "$2" "cd src && python3 train.py --steps 50000"
    ;;
  stop)
    gcloud compute tpus tpu-vm delete "$2" --zone "$ZONE" --project "$PROJECT" --quiet
    ;;
esac
