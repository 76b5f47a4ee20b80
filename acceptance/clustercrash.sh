#!/bin/sh
# Kills, stops and freezes the nodes of a cluster at random moments and moves shards between them, while clients of four
# languages work at all of them, and accounts for every message. Exit code 0: every accepted message was delivered, no
# message came twice without a reason, and the order of each producer was kept.
#
#   acceptance/clustercrash.sh [EVENTS] [SEED]
set -eu
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dit.test=ClusterCrashTest -Dfailsafe.failIfNoSpecifiedTests=false -Dengines.required=postgresql \
    -Dclients.required=python,node,go -Dcluster.events="${1:-300}" -Dcluster.seed="${2:-$(date +%s)}"
