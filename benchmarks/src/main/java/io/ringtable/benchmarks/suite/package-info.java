/**
 * Plans and runs the suites of {@code suites.yaml}: each answers a question with runs that differ in a few dimensions.
 * <p>
 * Thread: the caller's; a subject starts sessions of its own. Must not know: what a claim is, and how a page looks.
 */
package io.ringtable.benchmarks.suite;
