#!/usr/bin/env bash
# The browser tests, where a Chromium, Node.js and npm are found; says so plainly where they are not. With CI=true they must be.
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
[ -n "$chromium" ] || missing "there is no Chromium on this machine (Debian: apt-get install chromium)"
command -v node >/dev/null && command -v npm >/dev/null || missing "there is no Node.js with npm on this machine"
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || missing "Node.js $(node --version) is too old; 20 or later is needed"
npm ci --silent --no-audit --no-fund || missing "npm could not install what package-lock.json names"

# As the workspace's tests are compiled, so that nothing is compiled twice.
cargo build --locked --workspace --bin tutelage --example own_world
TUTELAGE_CHROMIUM=$chromium node tests.mjs "$@"
