#!/usr/bin/env bash
# Renders the pages of docs/ as a site with search, and checks its links.
#
#   docs/site/build.sh            into docs/site/target/html
#   docs/site/build.sh --serve    the same, then serves it on http://localhost:8000
#
# The generator comes once from the Python package registry, into .cache/site; after that no network is needed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

version=0.0.73
venv=../../.cache/site
if [ "$("$venv/bin/zensical" --version 2>/dev/null | grep -o '[0-9][0-9.]*')" != "$version" ]; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "zensical==$version"
fi

rm -rf target/html
python3 stage.py target/pages
"$venv/bin/zensical" build --clean --strict --config-file zensical.toml
python3 rendered.py target/html
if [ "${1:-}" = --serve ]; then
    exec python3 -m http.server --directory target/html --bind 127.0.0.1 8000
fi
