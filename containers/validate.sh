#!/usr/bin/env bash
# Holds the compose files, the manifests and the workflow against the schemas of their formats. Docker is not needed.
#
#   containers/validate.sh
#
# The schemas come inside of two packages of the Python registry, once, into .cache/containers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

check_jsonschema=0.39.0
kubernetes_validate=1.37.0
venv=.cache/containers
if ! "$venv/bin/pip" freeze 2>/dev/null | grep -qx "check-jsonschema==$check_jsonschema"; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check \
        "check-jsonschema==$check_jsonschema" "kubernetes-validate==$kubernetes_validate"
fi

"$venv/bin/check-jsonschema" --builtin-schema vendor.compose-spec containers/compose/*.yaml
"$venv/bin/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml
"$venv/bin/kubernetes-validate" --strict containers/kubernetes/*.yaml
