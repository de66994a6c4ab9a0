#!/usr/bin/env bash
# Install what the script needs on every host of the pod, once.
set -euo pipefail
TPU_NAME="${TPU_NAME:?name of the TPU}"
ZONE="${ZONE:?zone of the TPU}"
gcloud compute tpus tpu-vm ssh "$TPU_NAME" --zone="$ZONE" --worker=all \
  --command="pip install 'jax[tpu]' optax orbax-checkpoint numpy"
