#!/usr/bin/env bash
# Instructions per environment step, from callgrind: the difference between a long and a short run, so that building is not counted.
#
#     benches/env_speed/instructions.sh [LANES]
set -euo pipefail
cd "$(dirname "$0")/../.."

cargo build --quiet --release -p tutelage-tasks --example env_speed
program=target/release/examples/env_speed

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" 2>&1 | sed -n 's/.*Collected : //p'
}

for task in hopper walker2d half-cheetah ant; do
    short=$(count "$task" 240 ${1:-})
    long=$(count "$task" 2640 ${1:-})
    printf '%-14s%8d\n' "$task" $(((long - short) / 2400))
done
