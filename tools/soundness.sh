#!/usr/bin/env bash
# Runs the tests of the two crates that have unsafe code under a checker of memory: Miri where it is installed (with the nightly
# toolchain, `rustup component add miri rust-src --toolchain nightly`), else valgrind.
# All other crates forbid unsafe code; that is checked first.
set -euo pipefail
cd "$(dirname "$0")/.."

for root in crates/*/src/lib.rs crates/*/src/main.rs fuzz/src/lib.rs; do
    case "$root" in crates/articulated/* | crates/tutelage-net/*) continue ;; esac
    grep -q '^#!\[forbid(unsafe_code)\]' "$root" || { echo "$root does not forbid unsafe code" >&2 && exit 1; }
done

crates=(-p articulated -p tutelage-net)
for miri in "cargo miri" "cargo +nightly miri"; do
    $miri --version > /dev/null 2>&1 || continue
    # Miri knows no AVX: it sees the portable paths, and what is unsafe in them.
    exec $miri test "${crates[@]}" --lib --tests ${1+"$@"}
done
echo "Miri is not installed: valgrind looks instead" >&2
command -v valgrind > /dev/null || { echo "neither Miri nor valgrind is installed" >&2 && exit 1; }
cargo test "${crates[@]}" --no-run --message-format=json 2> /dev/null |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' |
    while IFS= read -r test; do
        echo "== valgrind $(basename "$test")"
        valgrind --quiet --error-exitcode=9 --leak-check=no "$test" --test-threads 1 ${1+"$@"}
    done
