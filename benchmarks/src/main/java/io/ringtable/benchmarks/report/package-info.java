/**
 * Writes what a run leaves behind: its machine, its raw rows, its table. Thread: the benchmark's. Must not know: the
 * subject of the measurement.
 */
package io.ringtable.benchmarks.report;
