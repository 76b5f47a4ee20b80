/**
 * What a run leaves behind: where it ran, its raw rows, its table. Thread: the benchmark's. Must not know: what was measured.
 */
package io.ringtable.benchmarks.report;
