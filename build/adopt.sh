#!/usr/bin/env bash
# Does what somebody does who comes to Ringtable today: installs it from this clone into an empty local repository,
# copies the two first projects to a folder of their own, tests them there, and runs them with the distribution.
#
#   build/adopt.sh [PROJECT...]    jpa and jms unless said otherwise
#
# Needs the package registries, and takes ports of its own. Ends with 0 only if every order was shipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

root=$PWD
projects=("$@")
[ ${#projects[@]} -gt 0 ] || projects=(jpa jms)
work=$(mktemp -d)
running=()

cleanup() {
    # All of them before any is waited for: the database ends when its clients have.
    for process in "${running[@]}"; do
        kill "$process" 2>/dev/null || true
    done
    wait
    rm -rf "$work"
}
trap cleanup EXIT

say() {
    printf '\n=== %s\n' "$1"
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Waits for a line in the log of a process; shows the log if the process ends before.
await_line() { # FILE PROCESS TEXT
    until grep -q "$3" "$1" 2>/dev/null; do
        kill -0 "$2" 2>/dev/null || {
            cat "$1"
            exit 1
        }
        sleep 0.2
    done
}

maven() {
    "$root/mvnw" -B -ntp -q -Dmaven.repo.local="$work/repository" "$@"
}

say 'Install into an empty local repository'
maven install -DskipTests -Dspotless.check.skip=true
tar xzf distribution/target/ringtable-*.tar.gz -C "$work"
ringtable=$(echo "$work"/ringtable-*/bin/ringtable)

# The server of the test's library, on files that are thrown away; it refuses to run as root.
start_postgres() {
    local platform=amd64
    [ "$(uname -m)" != aarch64 ] || platform=arm64v8
    mkdir "$work/postgres"
    unzip -qp "$(ls "$work"/repository/io/zonky/test/postgres/embedded-postgres-binaries-linux-$platform/18*/*.jar)" \
        '*.txz' | tar xJ -C "$work/postgres"
    local as=()
    [ "$(id -u)" != 0 ] || as=(unshare -U)
    "${as[@]}" "$work/postgres/bin/initdb" -U postgres -A trust -D "$work/rows" >"$work/initdb.log"
    "${as[@]}" "$work/postgres/bin/postgres" -D "$work/rows" -p "$1" -c unix_socket_directories= \
        >"$work/postgres.log" 2>&1 &
    running+=($!)
    await_line "$work/postgres.log" $! 'ready to accept connections'
}

for project in "${projects[@]}"; do
    say "$project: its own lines of Java, beside entities"
    cp -r "examples/first-project/$project" "$work/shop"
    rm -rf "$work/shop/target"
    find "$work/shop/src/main" -name '*.java' ! -name BookOrder.java -exec cat {} + |
        grep -cvE '^(import|package|$)|^ *(/\*\*|\*|//)|^ *[{}]+$'

    say "$project: its test"
    maven verify -f "$work/shop"
    grep -h 'Tests run' "$work"/shop/target/surefire-reports/*.txt

    say "$project: with the distribution"
    amqp=$(free_port)
    http=$(free_port)
    web=$(free_port)
    store=(--ringtable.data-dir="$work/data-$project")
    shop=()
    shipped='^shipped'
    if [ "$project" = jpa ]; then
        database=$(free_port)
        start_postgres "$database"
        url=jdbc:postgresql://localhost:$database/postgres
        store+=(--ringtable.store.url="$url" --ringtable.store.username=postgres)
        shop=(--spring.datasource.url="$url" --logging.level.org.hibernate.SQL=debug)
        shipped='update book_order'
    fi
    "$ringtable" broker --ringtable.amqp.port="$amqp" --server.port="$http" "${store[@]}" \
        >"$work/broker.log" 2>&1 &
    broker=$!
    running+=("$broker")
    await_line "$work/broker.log" "$broker" 'is active'
    java -jar "$work"/shop/target/shop-*.jar --server.port="$web" --ringtable.client.uris="amqp://localhost:$amqp" \
        "${shop[@]}" >"$work/shop.log" 2>&1 &
    running+=($!)
    await_line "$work/shop.log" $! 'Started Warehouse'
    for title in Moby-Dick Walden; do
        curl -sSf -H 'Content-Type: text/plain' -d "$title" "http://localhost:$web/orders"
        echo
    done
    until [ "$(grep -c "$shipped" "$work/shop.log")" = 2 ]; do
        kill -0 $! || exit 1
        sleep 0.2
    done
    grep "$shipped" "$work/shop.log"
    rm -rf "$work/shop"
done
say 'Passed'
