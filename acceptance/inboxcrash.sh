#!/bin/sh
# Kills a broker with three shards at random moments while applications publish by SQL to queues of all shards, old and
# new, in transactions that commit, roll back or die. The shards lie in one database, then in two, with applications in
# both. Then it accounts for every message. Exit code 0: what was committed is stored once and in the order of its
# caller, and nothing else is. It runs on PostgreSQL and, where there is one, on SQL Server (docs/sqlserver.md).
#
#   acceptance/inboxcrash.sh [KILLS] [SEED]
set -eu
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dit.test=PassingOnCrashTest -Dfailsafe.failIfNoSpecifiedTests=false -Dcrash.kills="${1:-60}" \
    ${2:+-Dcrash.seed="$2"}
