#!/bin/sh
# Measures the share of its rate that a queue keeps while the same anonymous producer also writes to a topic at its
# quota. A block has four rounds, alone and beside that topic. Prints the share of each block, and the median with its
# interval of 95 % confidence. Exit code 0: the whole interval lies at 90 % or above. Otherwise the interval lies below,
# or it takes more blocks to tell; fewer than 6 tell nothing. Up to 3 blocks are judged as in the tests, where the queue
# only has to keep half.
#
#   acceptance/fairness.sh [BLOCKS]
set -eu
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Djvm.brief= -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dit.test=NobodyStopsTheOthersTest -Dfailsafe.failIfNoSpecifiedTests=false -Dfairness.blocks="${1:-30}"
