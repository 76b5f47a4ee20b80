#!/usr/bin/env bash
# Checks the alert rules with Prometheus's own tool, and runs their tests. What fires each alert stands in
# ops/prometheus/ringtable.rules.test.yaml.
#
#   ops/check.sh
#
# PROMTOOL names the tool; without it the one on the PATH counts (Debian's package prometheus has it). Where there is
# none, the check is skipped with exit code 0; DashboardAndAlertsTest in the build holds names and labels all the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/prometheus"

promtool=${PROMTOOL:-promtool}
if ! command -v "$promtool" >/dev/null; then
    echo "SKIPPED: no $promtool here, so the alert rules were not tested; install Prometheus, or set PROMTOOL" >&2
    exit 0
fi

"$promtool" check rules ringtable.rules.yaml
"$promtool" test rules ringtable.rules.test.yaml
