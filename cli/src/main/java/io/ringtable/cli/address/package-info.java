/**
 * Administers queues and topics with what belongs to each: subscriptions, producers and policies.
 * <p>
 * Thread: the command's.
 */
package io.ringtable.cli.address;
