#!/usr/bin/env bash
# Starts fixed.py with one process per device of this machine.
set -euo pipefail
cd "$(dirname "$0")"

gpus=""
processes=""
arguments=()
usage() {
  cat <<'TEXT'
Usage: ./launch_training.sh [OPTIONS]
  -g, --gpus IDS             comma-separated GPU ids (default: all)
  -n, --processes N          processes to start (default: one per GPU, 2 on a CPU)
  -b, --batch-size SIZE      batch size per process
  -e, --epochs N             number of epochs
  -l, --log-dir DIR          one log file per rank goes here
  -c, --checkpoint-dir DIR   checkpoints go here
      --resume               continue from the last checkpoint
      --cpu                  no GPU even if there is one
      --test                 a two-epoch run on little data
      --debug                verbose logs
  -h, --help                 this text
TEXT
}
while [ $# -gt 0 ]; do
  case "$1" in
    -g|--gpus) gpus="$2"; shift 2 ;;
    -n|--processes) processes="$2"; shift 2 ;;
    -b|--batch-size) arguments+=(--batch-size "$2"); shift 2 ;;
    -e|--epochs) arguments+=(--num-epochs "$2"); shift 2 ;;
    -l|--log-dir) arguments+=(--log-dir "$2"); shift 2 ;;
    -c|--checkpoint-dir) arguments+=(--checkpoint-dir "$2"); shift 2 ;;
    --resume) arguments+=(--resume); shift ;;
    --cpu) arguments+=(--cpu); gpus="none"; shift ;;
    --test) arguments+=(--num-epochs 2 --dataset-size 512); shift ;;
    --debug) arguments+=(--debug); export TORCH_CPP_LOG_LEVEL=INFO; shift ;;
    -h|--help) usage; exit 0 ;;
    *) echo "unknown option: $1" >&2; usage >&2; exit 2 ;;
  esac
done

count=0
if [ "$gpus" != none ]; then
  if [ -n "$gpus" ]; then
    export CUDA_VISIBLE_DEVICES="$gpus"
    count=$(tr ',' '\n' <<<"$gpus" | grep -c .)
  elif command -v nvidia-smi >/dev/null 2>&1; then
    count=$(nvidia-smi --list-gpus | wc -l)
  fi
fi
if [ -z "$processes" ]; then
  processes=$count
  [ "$count" -gt 0 ] || processes=2
fi
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
exec torchrun --standalone --nproc_per_node="$processes" fixed.py ${arguments[@]+"${arguments[@]}"}
