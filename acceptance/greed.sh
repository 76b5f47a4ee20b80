#!/bin/sh
# Runs greedy clients against a broker with 512 MB of heap, beside an honest client that publishes and consumes 1,000
# messages a second over one connection. Prints for each attack the service of the honest client alone and meanwhile
# (latency counts from the moment a message was due), the resources of the broker, and the work of the attackers.
#
#   acceptance/greed.sh [ATTACK...]
#
# AttackName lists the attacks, such as dispositions or waiting-publishers; without a name all of them run, in about
# 12 minutes. Exit code 0: the broker withstands all of them. The 99th percentile stays below 20 ms at the whole rate,
# the broker stays ready and in memory, and the honest client goes on afterwards. An attack that did next to nothing
# fails as well.
#
# The attackers run in a process of their own at a low priority (nice -n 10): they attack the broker, not the processors
# that they share with it here. Nothing else should run on the machine meanwhile.
#
# GREED_JAR names the jar of another broker to attack, GREED_SECONDS the length of an attack (15), GREED_JVM more
# options for the broker's JVM.
set -eu
cd "$(dirname "$0")/.."
exec ./mvnw -q -B -pl acceptance -am verify -Djvm.brief= -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dit.test=GreedTest -Dfailsafe.failIfNoSpecifiedTests=false -Dgreed.attacks="${*:-all}" \
    -Dgreed.seconds="${GREED_SECONDS:-15}" -Dgreed.jvm="${GREED_JVM:-}" ${GREED_JAR:+-Dbroker.jar="$GREED_JAR"}
