#!/bin/sh
# Runs every test that knows SQL Server: the store, the inbox, settling, the operators' queries and the JMS scenarios,
# the SDK in applications' transactions, the broker in an application's process, and the acceptance tests that have
# engines. They run on the server that the environment names (docs/sqlserver.md), else in containers. Exit code 0: all
# of them passed, and none was skipped for want of a server.
#
#   acceptance/sqlserver.sh [ACCEPTANCE_TESTS]     for example 'TransactionsTest,InboxTest'; none: 'None'
set -eu
cd "$(dirname "$0")/.."
tests=${1:-"io.ringtable.acceptance.jms.*Test,JmsCrashTest,ShardsCrashTest,FlightsCrashTest,DatabaseOutageTest,\
InboxTest,PassingOnCrashTest,SettlingTest,OwnershipTest,DamagedTablesTest,RefusedStartTest"}
exec ./mvnw -B -ntp -pl acceptance,spring/starter-broker -am verify -Dengines.required=sqlserver -Dtest='Sqlserver*' \
    -Dsurefire.failIfNoSpecifiedTests=false -Dit.test="$tests" -Dfailsafe.failIfNoSpecifiedTests=false
