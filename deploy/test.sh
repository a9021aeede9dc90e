#!/usr/bin/env bash
# Tries outcrop.sbatch with a scontrol that takes notes: `deploy/test.sh path/to/outcrop`.
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

# Runs the script with the arguments behind the file and the text in it that it waits for; then tells it that the time is over.
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

# A run that is stopped saves its state, and is queued again; the next job goes on, to the same ranks.
export OUTCROP="$outcrop"
code=$(stopped_after log '"iteration"' "${run[@]}" -o ranks.csv)
[[ $code == 130 ]] || fail "a run that is stopped ends with $code: $(tail -3 log)"
[[ $(cat notes) == "requeue 17" ]] || fail "the job was not queued again"
ls checkpoints/17/checkpoint-* > /dev/null || fail "no checkpoint in"
bash "$script" "${run[@]}" -o ranks.csv > log 2>&1 || fail "the next job failed: $(tail -3 log)"
grep -q "goes on from a checkpoint" log || fail "the next job began again"
[[ $(wc -l < notes) == 1 ]] || fail "a job that ended was queued again"
"$outcrop" run "${run[@]}" --memory 192MiB -o straight.csv 2> /dev/null
cmp ranks.csv straight.csv || fail "the ranks are others"

# A run that does not end in time is killed, and queued again.
code=$(OUTCROP=deaf GRACE=1 stopped_after begun begun)
[[ $code == 137 ]] || fail "a run that is killed ends with $code"
[[ $(wc -l < notes) == 2 ]] || fail "a killed job was not queued again"

# A run that fails is not queued again.
code=0
bash "$script" pagerank none.outcrop 2> /dev/null || code=$?
[[ $code == 9 ]] || fail "a run without a store ends with $code"
[[ $(wc -l < notes) == 2 ]] || fail "a job that failed was queued again"
echo "deploy/test.sh: outcrop.sbatch does as it says"
