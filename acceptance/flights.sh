#!/bin/sh
# Publishes every row of a file of flights to three durable subscriptions while the broker is killed with kill -9,
# accounts for each row and prints a table. Exit code 0: every rule held.
#
#   acceptance/flights.sh FLIGHTS.csv.gz [sqlite|postgresql|sqlserver] [jms|sdk] [KILLS] [SEED]
set -eu
file=${1:?usage: acceptance/flights.sh FLIGHTS.csv.gz [sqlite|postgresql|sqlserver] [jms|sdk] [KILLS] [SEED]}
file=$(cd "$(dirname "$file")" && pwd)/$(basename "$file")
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Djvm.brief= -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dacceptance.excluded= -Dit.test=FlightsFullRunTest \
    -Dfailsafe.failIfNoSpecifiedTests=false \
    -Dflights.file="$file" -Dflights.engine="${2:-sqlite}" -Dflights.client="${3:-jms}" -Dflights.kills="${4:-12}" \
    ${5:+-Dflights.seed="$5"}
