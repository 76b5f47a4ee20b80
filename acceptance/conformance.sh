#!/bin/sh
# Runs the JMS conformance tests of others through Qpid JMS against a broker of this checkout with a temporary store,
# or against a running one. The script fetches the tests; they are not kept here. Exit code 0: all of them passed.
#
#   acceptance/conformance.sh jakarta [AMQP-URL [GIT-REPOSITORY]]
#       those of Jakarta Messaging itself (jakartaee/platform-tck) that need no container; the broker has the users
#       j2ee and javajoe, each with its name as password
#   acceptance/conformance.sh joram [AMQP-URL [GIT-REPOSITORY]]
#       ObjectWeb's, as Apache ActiveMQ Artemis keeps them
set -eu
cd "$(dirname "$0")/.."
suite=${1:-}
url=${2:-}
work=$PWD/acceptance/target/conformance-$suite
tests=$work/src/test

# fetch REPOSITORY TAG FOLDER: into $work/fetched
fetch() {
    rm -rf "$work"
    mkdir -p "$tests/java" "$tests/resources" "$work/fetched"
    if [ -d "$1" ]; then
        git --git-dir="$1" archive "$2:$3" | tar -x -C "$work/fetched"
    else
        git -c advice.detachedHead=false clone -q --depth 1 --filter=blob:none --sparse --branch "$2" "$1" "$work/clone"
        git -C "$work/clone" sparse-checkout set "$3"
        mv "$work/clone/$3"/* "$work/fetched/"
    fi
}

start_broker() {
    bin/ringtable --version # builds what is missing
    bin/ringtable broker --ringtable.amqp.port=0 --server.port=0 --ringtable.data-dir="$work/data" \
        > "$work/broker.log" 2>&1 &
    broker=$!
    trap 'kill $broker' EXIT
    until url=$(sed -n 's/.* is active: \(amqp:[^,]*\),.*/\1/p' "$work/broker.log") && [ -n "$url" ]; do
        kill -0 $broker || { cat "$work/broker.log" >&2; exit 1; }
        sleep 0.2
    done
}

value() {
    sed -n "s|.*<$1>\(.*\)</$1>.*|\1|p" pom.xml | head -n 1
}

case $suite in
jakarta)
    fetch "${3:-https://github.com/jakartaee/platform-tck.git}" COMMON-11.1.0-RELEASE \
        tcks/apis/messaging/messaging-outside-container/src/main/java
    mv "$work"/fetched/* "$tests/java/"
    rm -r "$tests/java/com/sun/ts/tests/jms/ee" "$tests/java/com/sun/ts/tests/jms/ee20" # need a container
    export RINGTABLE_SECURITY_USERS_0_NAME=j2ee RINGTABLE_SECURITY_USERS_0_PASSWORD='{noop}j2ee'
    export RINGTABLE_SECURITY_USERS_1_NAME=javajoe RINGTABLE_SECURITY_USERS_1_PASSWORD='{noop}javajoe'
    [ -n "$url" ] || start_broker
    sed "s|URL|$url|" acceptance/conformance/jndi.properties > "$tests/resources/jndi.properties"
    ;;
joram)
    # Their own packages only, for Jakarta's names, with one class of ours in the place of Artemis' administration.
    fetch "${3:-https://github.com/apache/activemq-artemis.git}" 2.44.0 tests/joram-tests/src/test
    mkdir "$tests/java/org"
    mv "$work/fetched/java/org/objectweb" "$tests/java/org/"
    mv "$work/fetched/resources/test.properties" "$tests/resources/"
    find "$tests" -name '*.java' -exec sed -i.bak \
        -e 's/javax\.jms/jakarta.jms/g' \
        -e '/^import org\.apache\.activemq\.artemis\.jndi\.ActiveMQInitialContextFactory;/d' \
        -e 's/ActiveMQInitialContextFactory\.class\.getName()/"org.apache.qpid.jms.jndi.JmsInitialContextFactory"/' {} +
    cp acceptance/conformance/RingtableAdmin.java "$tests/java/"
    printf 'jms.provider.admin.class=RingtableAdmin\n' > "$tests/resources/provider.properties"
    [ -n "$url" ] || start_broker
    ;;
*)
    sed -n 's/^#  *\(acceptance.*\)/usage: \1/p' "$0" >&2
    exit 2
    ;;
esac
cp acceptance/conformance/pom.xml "$work/"

status=0
./mvnw -B -ntp -q -f "$work/pom.xml" test -Dconformance.url="$url" \
    -Dspring-boot.version="$(value spring-boot.version)" -Dqpid-jms.version="$(value qpid-jms.version)" || status=1
count='"\([0-9]*\)"'
sed -n "s/.*<testsuite .* name=\"\([^\"]*\)\".* tests=$count errors=$count.* failures=$count.*/\1 \2 \3 \4/p" \
    "$work"/target/surefire-reports/TEST-*.xml |
    awk '{ sub(".*\\.(jms|jtests)\\.", "", $1); printf "%-64s %4d\n", $1, $2; run += $2; bad += $3 + $4 }
         END { printf "%-64s %4d passed, %d failed\n", "all", run - bad, bad; exit run == 0 || bad > 0 }' || status=1
exit $status
