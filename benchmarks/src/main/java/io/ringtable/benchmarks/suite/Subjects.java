package io.ringtable.benchmarks.suite;

import java.util.Optional;

/** Opens what a case measures. Thread: the runner's. */
public interface Subjects {

    /** Returns why an engine cannot run a case; empty if it can. */
    Optional<String> whyNot(String engine, Case one);

    /** Creates the tables of a case in a database of their own. */
    Subject open(String engine, Case one);
}
