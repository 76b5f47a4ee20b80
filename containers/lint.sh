#!/usr/bin/env bash
# Holds the manifests for Kubernetes against the rules of Checkov, a linter that works offline.
#
#   containers/lint.sh
#
# Checkov comes once from the Python package registry, into .cache/checkov: 290 MB, and so no part of the build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

checkov=3.3.30
venv=.cache/checkov
if ! "$venv/bin/pip" freeze 2>/dev/null | grep -qx "checkov==$checkov"; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "checkov==$checkov"
fi

# Rules that these manifests break on purpose.
exceptions=(
    CKV_K8S_11 # no limit of the processor: a broker that is throttled renews its lease late
    CKV_K8S_15 # the tag is that of a release, so a node need not ask for the image at each start
    CKV_K8S_21 # the namespace is the operator's
    CKV_K8S_35 # secrets come as variables, as all configuration of the image does
    CKV_K8S_43 # the digest is known once the operator has pushed the image
)
"$venv/bin/checkov" --directory containers/kubernetes --framework kubernetes --skip-download --compact --quiet \
    --skip-check "$(IFS=,; echo "${exceptions[*]}")"
echo "Checkov $checkov found nothing else"
