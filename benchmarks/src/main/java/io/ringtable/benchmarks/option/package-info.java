/** Reads the arguments of a measurement. Thread: any. Must not know: what is measured. */
package io.ringtable.benchmarks.option;
