/**
 * Holds what administrators can ask for, one class for each kind of thing, in the terms of the shard.
 * <p>
 * Thread: any. Must not know: HTTP, AMQP, JDBC.
 */
package io.ringtable.broker.management.operations;
