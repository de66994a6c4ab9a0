#!/usr/bin/env bash
# Four processes on this machine: ./launch.sh fixed.py [ARGUMENTS]. STANDIN=1 uses the stand-in even if torchft is there.
set -euo pipefail
cd "$(dirname "$0")"
if [ "${STANDIN:-0}" = 1 ] || ! python -c "import torchft" >/dev/null 2>&1; then
  export PYTHONPATH="$PWD/../../dtlint/trace/standin${PYTHONPATH:+:$PYTHONPATH}"
  exec torchrun --standalone --nproc_per_node=4 "$@"
fi
exec python with_lighthouses.py "$@"
