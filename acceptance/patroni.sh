#!/bin/sh
# Kills, freezes and switches over the primary of a PostgreSQL cluster behind Patroni. One of three shards lies there,
# and JMS and SDK clients publish and consume in all of them. Then it accounts for every message. Prints for how long
# publishers waited, and what rate the shards of the two other databases kept. Exit code 0: every accepted message was
# delivered, none came twice without a reason, the order of each producer was kept, and the other shards kept nine
# tenths of their rate. It needs Patroni 4 (pip install 'patroni[etcd3]' psycopg2-binary), etcd, and a PostgreSQL of
# version 15 to 18 with pg_rewind.
#
#   acceptance/patroni.sh [EVENTS] [SEED]
set -eu
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dit.test=PatroniTest -Dfailsafe.failIfNoSpecifiedTests=false -Dtools.required=patroni \
    -Dpatroni.events="${1:-20}" -Dpatroni.seed="${2:-$(date +%s)}"
