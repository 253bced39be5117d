#!/usr/bin/env bash
# Tests the Python package in a virtual environment below target/, with the library that cargo has compiled.
#
#   tools/python.sh           # lints, types and tests; skipped without Python 3.10 or later, unless CI=true
#   tools/python.sh --wheel   # `pip install .` in a fresh environment, then the README's commands
#                             # (MATURIN_PEP517_ARGS='--profile dev' compiles faster)
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1-}" in
'' | --wheel) ;;
*) echo "unknown option $1; expected --wheel" >&2 && exit 2 ;;
esac

python=
for candidate in "${PYTHON:-}" python3 python; do
    if [ -n "$candidate" ] && "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "No Python 3.10 or later with venv here: the Python package is NOT tested."
    # In CI, skipped tests must not count as passed.
    [ "${CI:-}" != true ] || exit 1
    exit 0
fi

target=${CARGO_TARGET_DIR:-target}

if [ "${1-}" = --wheel ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    "$python" -m venv "$scratch/venv"
    "$scratch/venv/bin/pip" install --quiet .
    # The README's examples, and the command.
    awk '/^```python$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md > "$scratch/readme.py"
    (cd "$scratch" && cat readme.py && venv/bin/python readme.py && venv/bin/tutelage tasks)
    exit 0
fi

venv=$target/python-venv
if ! cmp -s python/requirements-test.txt "$venv/installed.txt"; then
    "$python" -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r python/requirements-test.txt
    "$venv/bin/python" -c 'import sys, sysconfig; print(sys.argv[1], file=open(sysconfig.get_path("purelib") + "/tutelage.pth", "w"))' "$PWD/python"
    cp python/requirements-test.txt "$venv/installed.txt"
fi

# With the features of the workspace's tests, so that nothing is compiled twice.
cargo build --workspace --lib --tests --locked --quiet
cp -f "$target/debug/libtutelage_python.so" python/tutelage/_native.abi3.so

"$venv/bin/ruff" check python benches/python_speed benches/ray_scaling
"$venv/bin/ruff" format --check python benches/python_speed benches/ray_scaling
"$venv/bin/mypy"
"$venv/bin/python" -m pytest
