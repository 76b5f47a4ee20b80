/**
 * Publishing inside the applications' own database transactions, judged by what their transactions left behind.
 * <p>
 * Threads: those of the applications, one for each subscription, and the test's, which kills the broker.
 */
package io.ringtable.acceptance.inbox;
