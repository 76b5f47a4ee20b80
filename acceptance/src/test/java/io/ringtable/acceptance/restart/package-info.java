/**
 * How long a broker with much in its store takes to deliver its first message.
 * <p>
 * Thread: the test's. Must not know: any class of the broker.
 */
package io.ringtable.acceptance.restart;
