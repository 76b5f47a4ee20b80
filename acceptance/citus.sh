#!/bin/sh
# Makes one database of three PostgreSQL servers with Citus, and runs a broker with a shard on each. Applications at
# every server publish by SQL in transactions whose rows lie on other servers, while the servers and the broker are
# killed in turn, at random moments. Then it accounts for every message. Another test kills as many servers in phases of
# a commit that it chooses. Exit code 0: each row that was committed has its message or settlement once, and none is
# there without its row. It is skipped where pg_config names no Citus: see docs/operations.md, Citus.
#
#   acceptance/citus.sh [KILLS] [SEED]
#
# CITUS_WITNESS=false: Citus is not asked to commit in two phases, and the kills in a phase fail.
set -eu
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dit.test=CitusPhasesTest,CitusCrashTest,CitusRefusalsTest -Dfailsafe.failIfNoSpecifiedTests=false \
    -Dcitus.kills="${1:-50}" -Dcitus.rounds="$((${1:-50} / 9 + 1))" ${2:+-Dcitus.seed="$2"} \
    -Dcitus.witness="${CITUS_WITNESS:-true}"
