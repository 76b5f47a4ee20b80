/**
 * Attach frames: names, what a source or target asks for, what is found or created for it, and who has which name.
 * <p>
 * Thread: the connection's event loop; what is shared by connections says so. Must not know: frames, the committer.
 */
package io.ringtable.broker.amqp.attach;
