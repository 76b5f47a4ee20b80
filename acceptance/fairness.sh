#!/bin/sh
# Measures what a queue keeps of its rate while the same anonymous producer also writes to a topic that is at its quota: blocks
# of four rounds, alone and beside it. Exit code 0: at least 90 %.
#
#   acceptance/fairness.sh [BLOCKS]
set -eu
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dit.test=NobodyStopsTheOthersTest -Dfailsafe.failIfNoSpecifiedTests=false -Dfairness.blocks="${1:-30}"
