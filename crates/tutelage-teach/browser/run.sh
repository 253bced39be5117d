#!/usr/bin/env bash
# Runs the browser tests. Without Chromium, Node.js or npm it skips them, and fails if CI=true.
set -euo pipefail
cd "$(dirname "$0")"

missing() {
    echo "The browser tests were NOT run: $1." >&2
    if [ "${CI-}" = true ]; then exit 1; fi
    exit 0
}

chromium=${TUTELAGE_CHROMIUM-}
for found in chromium chromium-browser google-chrome; do
    [ -n "$chromium" ] || chromium=$(command -v "$found" || true)
done
[ -n "$chromium" ] || missing "Chromium is missing (Debian: apt-get install chromium)"
command -v node >/dev/null && command -v npm >/dev/null || missing "Node.js or npm is missing"
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || missing "Node.js $(node --version) is too old; 20 or later is needed"
npm ci --silent --no-audit --no-fund || missing "npm could not install the packages of package-lock.json"

# With the features of the workspace, so that crates are not compiled twice.
cargo build --locked --workspace --bin tutelage --example own_world
TUTELAGE_CHROMIUM=$chromium node tests.mjs "$@"
