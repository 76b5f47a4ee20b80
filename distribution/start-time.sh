#!/usr/bin/env bash
# Unpacks the distribution, writes its archive of classes, and measures how long the broker takes from the start of its
# process to the first accepted message, each time with a new store. Prints each start and the medians: milliseconds,
# milliseconds of processor time, resident megabytes.
#
#   distribution/start-time.sh [STARTS] [--no-archive]
#
# Needs a build: ./mvnw -DskipTests package. JAVA_HOME chooses the JVM, RINGTABLE_JAVA_OPTS gives the broker's options.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

starts=${1:-10}
archive=${2:-}
tar=$(echo distribution/target/ringtable-*.tar.gz)
classes=distribution/target/test-classes
if [ ! -f "$tar" ] || [ ! -d "$classes" ]; then
    echo 'no distribution: run ./mvnw -DskipTests package' >&2
    exit 1
fi
java=java
if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$tar" -C "$work"
script=$(echo "$work"/ringtable-*/bin/ringtable)
if [ "$archive" != --no-archive ]; then
    "$script" archive
fi
"$java" -XX:+UseSerialGC -cp "$classes:cli/target/lib/ringtable-cli.jar" \
    -Dorg.slf4j.simpleLogger.defaultLogLevel=error io.ringtable.distribution.StartTime "$script" "$starts"
