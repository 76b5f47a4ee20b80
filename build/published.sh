# Sourced by the scripts beside it: builds what a release publishes.

# publish SOURCE TARGET [OPTION...]: builds the sources in SOURCE and lays what Maven would publish into TARGET, in the
# layout of a Maven repository. Tests are compiled, as their jars are needed, and do not run.
publish() {
    local source=$1 target=$2
    shift 2
    mkdir -p "$target"
    (cd "$source" && ./mvnw -q -B -ntp deploy -DskipTests -Dspotless.check.skip=true -Dclass.archive.skip=true \
        -pl '!acceptance,!benchmarks,!examples' -Prelease "$@" -DaltDeploymentRepository="published::file://$target")
    # The index that a repository keeps for itself, and test jars: for our own modules.
    find "$target" \( -name 'maven-metadata*' -o -name '*-tests.jar*' \) -delete
}
