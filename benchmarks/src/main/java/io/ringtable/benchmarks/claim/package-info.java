/**
 * Holds what articles claim of queues in tables, and judges each claim by the rows of a run.
 * <p>
 * Thread: any. Must not know: how rows are measured, and how a page looks.
 */
package io.ringtable.benchmarks.claim;
