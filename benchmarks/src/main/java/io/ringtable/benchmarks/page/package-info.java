/**
 * Shows the rows of a run with the verdicts on the claims: one page for a browser, and tables for a document.
 * <p>
 * Thread: any. Must not know: how rows are measured, and how a claim is judged.
 */
package io.ringtable.benchmarks.page;
