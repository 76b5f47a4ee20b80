/**
 * Measurements of Ringtable; nothing here is shipped with the broker. Thread: the benchmark's own, named in each package.
 */
package io.ringtable.benchmarks;
