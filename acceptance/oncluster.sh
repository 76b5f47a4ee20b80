#!/bin/sh
# Runs acceptance tests against brokers of several shards, and on a server of several nodes with clients at random ones.
# Exit code 0: all of them passed.
#
#   acceptance/oncluster.sh [TESTS] [NODES] [SHARDS]
set -eu
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dit.test="${1:-*Test}" -Dfailsafe.failIfNoSpecifiedTests=false -Dengines.required=postgresql,sqlite \
    -Dacceptance.nodes="${2:-3}" -Dacceptance.shards="${3:-6}"
