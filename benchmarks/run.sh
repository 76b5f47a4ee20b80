#!/bin/sh
# Runs a measurement and keeps its raw data; builds what is missing.
#
#   benchmarks/run.sh compare [suite=batches,subscribers,sizes] [engines=sqlite,postgresql] [rounds=5] [seconds=2]
#   benchmarks/run.sh snapshot [designs=ring,count_in_row,naive] [rate=1000] [batch=10] [stretches=30]
#   benchmarks/run.sh endtoend [scenarios=1:1,8:8,sync,fanout,paced,sdk,sdksync64] [rounds=3] [seconds=10] [warmup=30]
#   benchmarks/run.sh endtoend brokers=ringtable,artemis scenarios=1:1,8:8,sync,sync64,fanout,paced
#                                                                       (beside Apache ActiveMQ Artemis)
#   benchmarks/run.sh endtoend brokers=ringtable,artemis,naive,naive-batched engine=postgresql
#                                                                       (beside queues in a database: sqlite, …)
#       scenarios=1:1@1k,1:1@10k,1:1@100k,1:1@1m                        (bodies)
#       scenarios=sync,sync8,sync64,fanout,stalled                      (waiting clients, subscribers)
#       scenarios=8:8/1000,sync64/1000                                  (latency at an intended rate)
#       scenarios=backlog messages=1000000 rounds=1                     (filled and emptied)
#       scenarios=soak soak=3600 rounds=1                               (an hour at half of the top rate)
#   benchmarks/run.sh endtoend brokers=ringtable,secured,traced scenarios=1:1,8:8,sdk,sdk8 rounds=12
#                                                                       (with logins and rules; with 1 % traced)
#   benchmarks/run.sh endtoend brokers=parts-1,parts-2,parts-4 engine=postgresql scenarios=8:8,sdk8:8 rounds=12
#                                                                       (one queue in 1, 2 and 4 of four shards)
#   benchmarks/run.sh endtoend brokers=owner,relayed engine=postgresql scenarios=1:1,8:8,sync,sdk,paced rounds=12
#                                                                       (two nodes: at the owner, and by a relay)
#   benchmarks/run.sh cluster [engine=postgresql] [rounds=5] [warmup=60]
#                                                                       (1, 2, 4 and 8 shards, and a model of more)
#   BENCH_OPTIONS=-Dbench.baseline=JAR benchmarks/run.sh endtoend brokers=ringtable,baseline rounds=12
#                                                                       (beside another build)
#   benchmarks/run.sh beside url=jdbc:postgresql://127.0.0.1:5432/postgres \
#       other=jdbc:postgresql://127.0.0.1:5433/postgres prepared=benchmarks/citus.sql [batch=100] [rounds=12]
#                                                                       (flushes on two servers, in turn)
#   benchmarks/run.sh restart [messages=1000000] [rounds=5] [stop=graceful|kill]
#   benchmarks/run.sh FlushBenchmark -p engine=sqlite -p batch=2000     (anything else goes to JMH)
#   benchmarks/run.sh QueueBenchmark -p design=naive,ring -tg 4,4       (four threads push, four pop)
#
# Environment: BENCH_RESULTS  directory for raw data (default: benchmarks/target/results)
#              BENCH_DIR      directory on the disk to measure (default: that of temporary files)
#              BENCH_OPTIONS  more options for the JVM, such as -Dbench.postgresql.url=jdbc:postgresql://host/postgres
set -eu
cd "$(dirname "$0")/.."
jar=benchmarks/target/benchmarks.jar
if [ ! -f "$jar" ] || [ ! -f broker/target/ringtable-broker.jar ]; then
    ./mvnw -q -B -pl benchmarks -am -DskipTests package
fi
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
# shellcheck disable=SC2086
exec java -Xmx2g -Dbench.commit="$commit" \
    -Dbench.results="${BENCH_RESULTS:-benchmarks/target/results}" \
    -Dbench.dir="${BENCH_DIR:-${TMPDIR:-/tmp}}" \
    ${BENCH_OPTIONS:-} -jar "$jar" "${@:-compare}"
