#!/usr/bin/env bash
# Tests outcrop.sbatch with a mock scontrol: `deploy/test.sh path/to/outcrop`.
set -euo pipefail
outcrop=$(realpath "$1")
script=$(realpath "$(dirname "$0")/outcrop.sbatch")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "deploy/test.sh: $1" >&2
    exit 1
}

mkdir bin
printf '#!/bin/sh\necho "$@" >> "%s/notes"\n' "$folder" > bin/scontrol
printf '#!/bin/sh\ntrap "" TERM\necho begun > begun\nexec sleep 60\n' > bin/deaf
chmod +x bin/scontrol bin/deaf
export PATH="$folder/bin:$PATH" SLURM_JOB_ID=17 SLURM_MEM_PER_NODE=256

# Runs the script with the remaining arguments, waits until FILE contains TEXT, and sends SIGTERM. Prints the exit code.
stopped_after() {
    local file=$1 text=$2 job code=0
    shift 2
    : > log
    bash "$script" "$@" >> log 2>&1 &
    job=$!
    until grep -qs -e "$text" "$file"; do
        kill -0 "$job" 2> /dev/null || fail "the run ended too early: $(tail -3 log)"
        sleep 0.02
    done
    kill -TERM "$job"
    wait "$job" || code=$?
    echo "$code"
}

"$outcrop" generate kronecker --scale 10 --seed 1 -o edges.bin --progress none
"$outcrop" build edges.bin g.outcrop --memory 64MiB --progress none 2> /dev/null
run=(pagerank g.outcrop --iterations "${ITERATIONS:-20000}" --threads 1 --progress json)

# A stopped run saves its state and is requeued; the next job resumes it, with the same ranks.
export OUTCROP="$outcrop"
code=$(stopped_after log '"iteration"' "${run[@]}" -o ranks.csv)
[[ $code == 130 ]] || fail "a stopped run exits with $code: $(tail -3 log)"
[[ $(cat notes) == "requeue 17" ]] || fail "the job was not requeued"
ls checkpoints/17/checkpoint-* > /dev/null || fail "there is no checkpoint"
bash "$script" "${run[@]}" -o ranks.csv > log 2>&1 || fail "the next job failed: $(tail -3 log)"
grep -q "resumed from a checkpoint" log || fail "the next job started from the beginning"
[[ $(wc -l < notes) == 1 ]] || fail "a completed job was requeued"
"$outcrop" run "${run[@]}" --memory 192MiB -o straight.csv 2> /dev/null
cmp ranks.csv straight.csv || fail "the ranks differ"

# A run that does not stop within GRACE is killed and requeued.
code=$(OUTCROP=deaf GRACE=1 stopped_after begun begun)
[[ $code == 137 ]] || fail "a killed run exits with $code"
[[ $(wc -l < notes) == 2 ]] || fail "a killed job was not requeued"

# A failed run is not requeued.
code=0
bash "$script" pagerank none.outcrop 2> /dev/null || code=$?
[[ $code == 9 ]] || fail "a run without a store exits with $code"
[[ $(wc -l < notes) == 2 ]] || fail "a job that failed was queued again"
echo "deploy/test.sh: outcrop.sbatch passed all checks"
