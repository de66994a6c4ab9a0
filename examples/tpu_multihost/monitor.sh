#!/usr/bin/env bash
# Which documents does every host read? One worker's log shows one line only, so ask them all.
set -euo pipefail
TPU_NAME="${TPU_NAME:?name of the TPU}"
ZONE="${ZONE:?zone of the TPU}"
gcloud compute tpus tpu-vm ssh "$TPU_NAME" --zone="$ZONE" --worker=all \
  --command="grep -h '^\[process' /tmp/train_worker_*.log"
