#!/usr/bin/env bash
# Packages every crate as for publishing, and fails on the first that cannot be packaged or that embeds a file from
# outside itself, which its package would lack.
#
#   tools/package.sh           # packages alone, in seconds
#   tools/package.sh --verify  # builds each from its package too
set -euo pipefail
cd "$(dirname "$0")/.."

verify=--no-verify
case "${1-}" in
'') ;;
--verify) verify= ;;
*) echo "$1 is not an option; --verify is the only one" >&2 && exit 2 ;;
esac

# Files that a source embeds, as FILE:MACRO("PATH": whole names, and beginnings where a name is put together.
embedded() { grep -rnoE --include='*.rs' 'include(_str|_bytes)?!\((concat!\()?"[^"]+"' "$1" || true; }

for crate in crates/*; do
    while IFS= read -r line; do
        [ -n "$line" ] || continue
        path=$(realpath -m "$(dirname "${line%%:*}")/$(cut -d'"' -f2 <<<"$line")")
        case "$path/" in
        "$PWD/$crate/"*) ;;
        *) echo "${line%%:*} embeds $path, which lies outside $crate" >&2 && exit 1 ;;
        esac
    done < <(embedded "$crate")
done

# Together, because they depend on each other and no registry has them yet.
# shellcheck disable=SC2086
cargo package --workspace --allow-dirty --no-metadata $verify
