#!/bin/sh
# Runs the JMS conformance tests of ObjectWeb's JORAM, as Apache ActiveMQ Artemis keeps them (tests/joram-tests), through Qpid JMS
# against a broker of this checkout with a temporary store, or against one that runs. They are fetched, not kept here. Exit code 0:
# all of them passed.
#
#   acceptance/conformance.sh [AMQP-URL [GIT-REPOSITORY]]
set -eu
cd "$(dirname "$0")/.."
url=${1:-}
repository=${2:-https://github.com/apache/activemq-artemis.git}
version=2.44.0
work=$PWD/acceptance/target/conformance
tests=$work/src/test/java

value() {
    sed -n "s|.*<$1>\(.*\)</$1>.*|\1|p" pom.xml | head -n 1
}

# --- the tests: their own packages only, for Jakarta's names, with one class of ours in the place of Artemis' administration

rm -rf "$work"
mkdir -p "$work/src/test/resources"
if [ -d "$repository" ]; then
    git --git-dir="$repository" archive "$version" tests/joram-tests | tar -x -C "$work"
else
    git -c advice.detachedHead=false clone -q --depth 1 --filter=blob:none --sparse --branch "$version" "$repository" "$work/artemis"
    git -C "$work/artemis" sparse-checkout set tests/joram-tests
    mv "$work/artemis/tests" "$work/tests"
fi
mkdir -p "$tests/org"
mv "$work/tests/joram-tests/src/test/java/org/objectweb" "$tests/org/"
mv "$work/tests/joram-tests/src/test/resources/test.properties" "$work/src/test/resources/"
find "$tests" -name '*.java' -exec sed -i.bak \
    -e 's/javax\.jms/jakarta.jms/g' \
    -e '/^import org\.apache\.activemq\.artemis\.jndi\.ActiveMQInitialContextFactory;/d' \
    -e 's/ActiveMQInitialContextFactory\.class\.getName()/"org.apache.qpid.jms.jndi.JmsInitialContextFactory"/' {} +
cp acceptance/conformance/RingtableAdmin.java "$tests/"
cp acceptance/conformance/pom.xml "$work/"
printf 'jms.provider.admin.class=RingtableAdmin\n' > "$work/src/test/resources/provider.properties"

# --- the broker

if [ -z "$url" ]; then
    bin/ringtable --version # builds what is missing
    bin/ringtable broker --ringtable.amqp.port=0 --server.port=0 --ringtable.data-dir="$work/data" > "$work/broker.log" 2>&1 &
    broker=$!
    trap 'kill $broker' EXIT
    until url=$(sed -n 's/.* is active: \(amqp:[^,]*\),.*/\1/p' "$work/broker.log") && [ -n "$url" ]; do
        kill -0 $broker || { cat "$work/broker.log" >&2; exit 1; }
        sleep 0.2
    done
fi

./mvnw -B -ntp -q -f "$work/pom.xml" test -Dconformance.url="$url" \
    -Dspring-boot.version="$(value spring-boot.version)" -Dqpid-jms.version="$(value qpid-jms.version)"
sed -n 's/.*<testsuite .* name="\([^"]*\)".* tests="\([0-9]*\)" errors="\([0-9]*\)".* failures="\([0-9]*\)".*/\1 \2 \3 \4/p' \
    "$work"/target/surefire-reports/TEST-*.xml |
    awk '{ sub(".*\\.", "", $1); printf "%-32s %4d\n", $1, $2; run += $2; bad += $3 + $4 }
         END { printf "%-32s %4d passed, %d failed\n", "all", run - bad, bad; exit run == 0 || bad > 0 }'
