/**
 * Acknowledging inside the applications' own database transactions, judged by what their transactions left behind.
 * <p>
 * Processes: the broker, the applications and the database; the test kills the first two.
 */
package io.ringtable.acceptance.settling;
