#!/bin/sh
# Moves messages from Artemis to Ringtable, and from Ringtable to Artemis, while the bridge and both brokers are killed
# with kill -9 at random places of the way. Exit code 0: every message arrived once and unchanged.
#
#   acceptance/bridge.sh [MESSAGES] [KILLS of each] [SEED]
set -eu
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dit.test=BridgeTest -Dfailsafe.failIfNoSpecifiedTests=false \
    -Dbridge.messages="${1:-100000}" -Dbridge.kills="${2:-3}" ${3:+-Dbridge.seed="$3"}
