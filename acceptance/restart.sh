#!/bin/sh
# Fills a store with 1,000,000 owed messages and compares the time from a start to the first delivery with that of a
# store that holds one. Heap 512 MB, median of 5 starts each, interleaved.
#
#   acceptance/restart.sh [OWED]
set -eu
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Djvm.brief= -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dacceptance.excluded= -Dit.test=RestartTimeTest -Dfailsafe.failIfNoSpecifiedTests=false \
    -Drestart.owed="${1:-1000000}"
