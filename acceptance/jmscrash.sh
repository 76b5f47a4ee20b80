#!/bin/sh
# Kills the broker at random moments while JMS transactions, delayed deliveries, redeliveries and groups are under
# way, and accounts for every message. Exit code 0: no half transaction, nothing lost, order kept. It runs on SQLite, on
# PostgreSQL and, where there is one, on SQL Server (docs/sqlserver.md).
#
#   acceptance/jmscrash.sh [KILLS] [SEED]
set -eu
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dit.test=JmsCrashTest -Dfailsafe.failIfNoSpecifiedTests=false -Dcrash.kills="${1:-50}" ${2:+-Dcrash.seed="$2"}
