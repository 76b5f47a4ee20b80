/** Measures Ringtable; the broker ships without these classes. Thread: the benchmark's own, named in each package. */
package io.ringtable.benchmarks;
