/**
 * Runs the suites on the engines that are there, and writes raw data, page and tables: {@code bin/ringtable bench}.
 * <p>
 * Thread: the main one, and the hook of the process's end. Must not know: how a case is measured.
 */
package io.ringtable.benchmarks.bench;
