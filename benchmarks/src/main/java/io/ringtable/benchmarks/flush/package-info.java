/**
 * Measures Ringtable's flush, and the flush with one of its ideas switched off.
 * <p>
 * Thread: the runner's, one for each publisher, one for the committer. Must not know: the articles' designs.
 */
package io.ringtable.benchmarks.flush;
