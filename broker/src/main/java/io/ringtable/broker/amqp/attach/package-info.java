/**
 * Answers attach frames: checks names, reads the terms of a source or target, and finds or creates the address or
 * subscription. Keeps the names of links.
 * <p>
 * Thread: the connection's event loop; a class that connections share says so. Must not know: frames, the committer.
 */
package io.ringtable.broker.amqp.attach;
