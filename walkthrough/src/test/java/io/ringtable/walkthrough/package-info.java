/**
 * Follows pages for newcomers word by word: types their commands into a shell and compares what comes.
 * <p>
 * Thread: the test's. Must not know: any class of the broker.
 */
package io.ringtable.walkthrough;
