#!/bin/sh
# Runs the starter's tests with several versions of Spring Boot and of Java, and prints what came of each as a table.
#
#   spring/matrix.sh [BOOT...]        all of 4.0.9 4.1.2 4.2.0-M1 unless some are named
#
# JAVA17_HOME and JAVA25_HOME say where the JDKs are (default: JAVA_HOME, and a JDK 25 of the system); one that is
# absent is left out, with a line that says so. Modules are built once, with the version of the root pom and Java 17:
# what is tested is one and the same jar, as an application gets it. All happens in a copy, so that the checkout's
# target directories stay as they are.
#
# MATRIX_TESTS chooses test classes, as -Dtest does. MATRIX_VERSIONS names versions to use in place of Spring Boot's,
# where a registry has not all of its jars: GROUP:ARTIFACT:VERSION, several with spaces. A name that ends in -bom brings
# the versions of that BOM.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' INT TERM
boots=${*:-4.0.9 4.1.2 4.2.0-M1}

java17=${JAVA17_HOME:-${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")}}
java25=${JAVA25_HOME:-$(ls -d /usr/lib/jvm/*25* 2>/dev/null | head -1)}

tar -C "$root" --exclude=.git --exclude=target --exclude=node_modules --exclude=.cache -cf - . | tar -C "$copy" -xf -
cd "$copy"

# Its own, in front of the usual one: what is installed here must not meet what another build of this machine uses.
usual=${MAVEN_REPOSITORY:-$HOME/.m2/repository}
maven() {
    ./mvnw -B -ntp -q "-Dmaven.repo.local=$copy/repository" "-Dmaven.repo.local.tail=$usual" "$@"
}

# What stands first among the managed versions counts.
# shellcheck disable=SC2086
managed=$(printf '%s\n' ${MATRIX_VERSIONS:-} | awk -F: 'NF == 3 {
    bom = $2 ~ /-bom$/ ? "<type>pom</type><scope>import</scope>" : ""
    printf "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>%s</dependency>", \
        $1, $2, $3, bom
}')
awk -v managed="$managed" '{ print } /<dependencyManagement>/ { inside = 1 }
    inside && /<dependencies>/ { print managed; inside = 0 }' pom.xml >pom.new
mv pom.new pom.xml

echo "building the modules once" >&2
JAVA_HOME=$java17 maven install -DskipTests -Dspotless.check.skip -Dlicense.skipAddThirdParty \
    -Dcyclonedx.skip -Dmaven.antrun.skip=true -pl spring/starter -am >build.log 2>&1 || { cat build.log >&2; exit 1; }

printf '%-12s %-8s %-8s %s\n' 'Spring Boot' Java result tests
status=0
for boot in $boots; do
    for java in 17 25; do
        eval "home=\$java$java"
        if [ ! -x "$home/bin/javac" ]; then
            printf '%-12s %-8s %-8s %s\n' "$boot" "$java" absent "no JDK: set JAVA${java}_HOME"
            continue
        fi
        log=$copy/$boot-$java.log
        # The tests are compiled and run against the version; of the starter's own classes they find those built above.
        if JAVA_HOME=$home maven test -Dspring-boot.version="$boot" -Dspotless.check.skip \
            -Dmaven.main.skip=true -pl spring/starter ${MATRIX_TESTS:+-Dtest="$MATRIX_TESTS"} >"$log" 2>&1; then
            result=passed
        elif grep -q -e "not find artifact org.springframework.boot:[^ ]*:$boot " \
            -e "org.springframework.boot:[^ ]*:$boot was not found" "$log"; then
            result=absent
        else
            result=FAILED
            status=1
        fi
        if [ "$result" = absent ]; then
            tests='Spring Boot of this version cannot be had here'
        else
            tests=$(cat spring/starter/target/surefire-reports/*.txt 2>/dev/null | awk -F'[:,]' '
                /^Tests run/ { n += $2; f += $4 + $6; s += $8 }
                END { print n + 0 " run, " f + 0 " failed, " s + 0 " skipped" }')
        fi
        printf '%-12s %-8s %-8s %s\n' "$boot" "$java" "$result" "$tests"
        if [ "$result" = FAILED ]; then
            grep -v INFO "$log" | tail -40 >&2
        fi
        rm -rf spring/starter/target/test-classes spring/starter/target/surefire-reports
    done
done
exit $status
