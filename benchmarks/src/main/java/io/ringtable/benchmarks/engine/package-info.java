/**
 * Creates databases of the engines under measurement, and reads what the engines and the machine count while a workload
 * runs on them.
 * <p>
 * Thread: any. Must not know: designs, workloads, reports of results.
 */
package io.ringtable.benchmarks.engine;
