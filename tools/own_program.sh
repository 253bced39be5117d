#!/usr/bin/env bash
# Prints the number of crates and the CPU-seconds of a custom program's first release build.
# The program depends on `tutelage`, `tutelage-runs` and `tutelage-oracles` by path, in a temporary folder.
set -euo pipefail
tree="$(cd "$(dirname "$0")/.." && pwd)"
program="$(mktemp -d)"
trap 'rm -rf "$program"' EXIT
mkdir "$program/src"
cp "$tree/Cargo.lock" "$program/"
cat > "$program/Cargo.toml" <<TOML
[package]
name = "own"
version = "0.0.0"
edition = "2024"

[dependencies]
tutelage = { path = "$tree/crates/tutelage" }
tutelage-runs = { path = "$tree/crates/tutelage-runs" }
tutelage-oracles = { path = "$tree/crates/tutelage-oracles" }
TOML
echo 'fn main() { println!("{:?}", tutelage_oracles::LeastSquares::default()); }' > "$program/src/main.rs"
cd "$program"
crates=$(cargo tree --edges normal,build --prefix none --no-dedupe | awk '{print $1, $2}' | sort -u | grep -cv '^own ')
TIMEFORMAT='%U %S'
seconds=$( { time nice cargo build --release --quiet --target-dir "$program/target" 2> "$program/log" || cat "$program/log" >&2; } 2>&1 )
echo "$crates crates, $(awk '{printf "%.0f", $1 + $2}' <<< "$seconds") CPU-seconds"
