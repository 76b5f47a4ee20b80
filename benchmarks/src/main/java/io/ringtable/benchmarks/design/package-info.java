/**
 * Runs the queues of the articles, which are SQL in {@code designs/}, in sessions of their own.
 * <p>
 * Thread: the runner's, and one for each session. Must not know: Ringtable's own store, reports of results.
 */
package io.ringtable.benchmarks.design;
