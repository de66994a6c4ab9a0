#!/usr/bin/env bash
# Run one script on every host of a TPU pod: ./run_tpu.sh fixed.py --pod
set -euo pipefail
TPU_NAME="${TPU_NAME:?name of the TPU}"
ZONE="${ZONE:?zone of the TPU}"
REMOTE_DIR="${REMOTE_DIR:-tpu_multihost}"
command="python3 $(printf '%q ' "$@")"
gcloud compute tpus tpu-vm ssh "$TPU_NAME" --zone="$ZONE" --worker=all \
  --command="cd $REMOTE_DIR && git pull --ff-only && $command 2>&1 | tee /tmp/train_worker_\$(hostname).log"
