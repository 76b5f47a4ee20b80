#!/bin/sh
# Freezes the active of two brokers, its database, or the way between them at random moments, while JMS and SDK
# clients work at both, and accounts for every message. Exit code 0: every accepted message was delivered, and no
# settled one came again.
#
#   acceptance/freeze.sh [FREEZES] [SEED] [postgresql]
set -eu
usage='usage: acceptance/freeze.sh [FREEZES] [SEED] [postgresql]'
engine=${3:-postgresql}
if [ "$engine" != postgresql ]; then
    echo "$usage: the test stops processes of the database, which it can do of a PostgreSQL server of its own" >&2
    exit 2
fi
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dit.test='FrozenNodeTest#everyMessageIsAccountedForAfterFreezesAtRandomMoments' \
    -Dfailsafe.failIfNoSpecifiedTests=false -Dengines.required=postgresql -Dfreeze.freezes="${1:-200}" \
    -Dfreeze.seed="${2:-$(date +%s)}"
