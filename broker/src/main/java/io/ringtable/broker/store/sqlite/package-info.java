/**
 * Keeps a shard in one SQLite file: its statements, the lock that keeps other processes out, the checkpoint thread.
 * <p>
 * Thread: {@code sqlite-checkpoint}, which owns its own connection; everything else runs on the caller's. Must not
 * know: other engines, AMQP, Spring.
 */
package io.ringtable.broker.store.sqlite;
