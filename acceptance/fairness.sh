#!/bin/sh
# Measures the share of its rate that a queue keeps while the same anonymous producer also writes to a topic that is
# at its quota: blocks of four rounds, alone and beside it. Prints the share of each block, and the median with its
# interval of 95 % confidence. Exit code 0: the whole interval lies at 90 % or above; else it lies below, or more
# blocks are needed to tell. Fewer than 6 tell nothing; up to 3 are judged as in the tests, where the queue only has
# to keep half.
#
#   acceptance/fairness.sh [BLOCKS]
set -eu
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Djvm.compiler= -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dit.test=NobodyStopsTheOthersTest -Dfailsafe.failIfNoSpecifiedTests=false -Dfairness.blocks="${1:-30}"
