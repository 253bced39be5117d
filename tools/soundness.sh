#!/usr/bin/env bash
# Checks that all crates but two forbid unsafe code, and runs the tests of these two under every installed memory checker.
#
#   tools/soundness.sh            # all of the following
#   tools/soundness.sh forbidden  # only the first check; takes seconds, part of ./check
#   tools/soundness.sh miri       # needs `rustup component add miri rust-src --toolchain nightly`; tests the portable paths
#   tools/soundness.sh address    # the address sanitizer of a nightly toolchain; tests this processor's paths
#   tools/soundness.sh valgrind   # also detects uses of uninitialized memory
set -euo pipefail
cd "$(dirname "$0")/.."
crates=(-p articulated -p tutelage-net --locked)
tests=(--lib --tests)

forbidden() {
    for root in crates/*/src/lib.rs crates/*/src/main.rs fuzz/src/lib.rs; do
        case "$root" in crates/articulated/* | crates/tutelage-net/*) continue ;; esac
        grep -q '^#!\[forbid(unsafe_code)\]' "$root" || { echo "$root does not forbid unsafe code" >&2 && exit 1; }
    done
}

has_miri() { cargo +nightly miri --version > /dev/null 2>&1; }
miri() { cargo +nightly miri test "${crates[@]}" "${tests[@]}"; }

has_address() { rustc +nightly --version > /dev/null 2>&1; }
address() {
    # A target of its own: without it, build scripts would be instrumented too.
    local host
    host=$(rustc +nightly -vV | sed -n 's/^host: //p')
    RUSTFLAGS=-Zsanitizer=address cargo +nightly test "${crates[@]}" "${tests[@]}" --target "$host" --target-dir target/address
}

has_valgrind() { command -v valgrind > /dev/null; }
valgrind() {
    cargo test "${crates[@]}" "${tests[@]}" --no-run --message-format=json 2> /dev/null |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' |
        while IFS= read -r test; do
            echo "== valgrind $(basename "$test")"
            command valgrind --quiet --error-exitcode=9 --leak-check=no "$test" --test-threads 1
        done
}

case "${1-all}" in
forbidden) forbidden ;;
miri | address | valgrind) "$1" ;;
all)
    forbidden
    looked=()
    for checker in miri address valgrind; do
        if ! "has_$checker"; then
            echo "$checker is not installed" >&2
            continue
        fi
        "$checker"
        looked+=("$checker")
    done
    [ ${#looked[@]} -gt 0 ] || { echo "no checker of memory is installed" >&2 && exit 1; }
    echo "no fault found by ${looked[*]}"
    ;;
*) echo "$1 is none of forbidden, miri, address and valgrind" >&2 && exit 2 ;;
esac
