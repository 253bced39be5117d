#!/usr/bin/env bash
# Tests the Python package in a virtual environment of its own, below target/, with the library that cargo has compiled.
#
#   tools/python.sh           # lints, types and tests; says so and succeeds where there is no Python 3.10 or later
#   tools/python.sh --wheel   # builds and installs the package as `pip install .` does, in a fresh environment, and tries it
set -euo pipefail
cd "$(dirname "$0")/.."

python=
for candidate in "${PYTHON:-}" python3 python; do
    if [ -n "$candidate" ] && "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "No Python 3.10 or later with venv here: the Python package is NOT tested."
    exit 0
fi

target=${CARGO_TARGET_DIR:-target}

if [ "${1-}" = --wheel ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    "$python" -m venv "$scratch/venv"
    "$scratch/venv/bin/pip" install --quiet .
    (cd "$scratch" && venv/bin/python -c 'import tutelage; print(tutelage.__name__, "is installed")' && venv/bin/tutelage tasks)
    exit 0
fi

venv=$target/python-venv
if ! cmp -s python/requirements-test.txt "$venv/installed.txt"; then
    "$python" -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r python/requirements-test.txt
    "$venv/bin/python" -c 'import sys, sysconfig; print(sys.argv[1], file=open(sysconfig.get_path("purelib") + "/tutelage.pth", "w"))' "$PWD/python"
    cp python/requirements-test.txt "$venv/installed.txt"
fi

# As the workspace's tests are compiled, so that nothing is compiled twice.
cargo build --workspace --lib --tests --locked --quiet
cp -f "$target/debug/libtutelage_python.so" python/tutelage/_native.abi3.so

"$venv/bin/ruff" check python benches/python_speed
"$venv/bin/ruff" format --check python benches/python_speed
"$venv/bin/mypy"
"$venv/bin/python" -m pytest
