#!/usr/bin/env bash
# Sends through the broker of compose/postgresql.yaml, stops that broker, and receives through its stand-by.
#
#   containers/fail-over.sh        while both run; the password of the user ringtable is "trial"
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

compose=(docker compose -f containers/compose/postgresql.yaml)
export RINGTABLE_CLI_USER=ringtable RINGTABLE_CLI_PASSWORD=trial

# Whichever came first serves; the other one listens once it has taken over.
serving=broker stand_by=stand-by port=5672 other=5673
if ! seq 100 | bin/ringtable publish queue://fail-over --url "amqp://localhost:$port"; then
    serving=stand-by stand_by=broker port=5673 other=5672
    seq 100 | bin/ringtable publish queue://fail-over --url "amqp://localhost:$port"
fi
"${compose[@]}" stop "$serving"
for _ in $(seq 60); do
    if "${compose[@]}" logs "$stand_by" | grep -q 'ACTIVE: serving'; then
        break
    fi
    sleep 1
done
bin/ringtable subscribe queue://fail-over --count 100 --wait 30 --url "amqp://localhost:$other" | cmp - <(seq 100)
echo "100 messages went through $serving and came from $stand_by"
