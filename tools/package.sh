#!/usr/bin/env bash
# Packages every crate as for publishing. Fails if a crate cannot be packaged, or if it embeds a file from outside its folder,
# which its package would lack.
#
#   tools/package.sh           # only packages; takes seconds
#   tools/package.sh --verify  # also builds each package
set -euo pipefail
cd "$(dirname "$0")/.."

verify=--no-verify
case "${1-}" in
'') ;;
--verify) verify= ;;
*) echo "unknown option $1; expected --verify" >&2 && exit 2 ;;
esac

# The files that a source embeds, as FILE:MACRO("PATH"; only the first part of names that are concatenated.
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
