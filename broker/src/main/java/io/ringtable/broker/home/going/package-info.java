/**
 * Deletes what lies at several nodes, as the directory says (ADR 82).
 * <p>
 * Thread: any. Must not know: links, how a shard works inside, JDBC.
 */
package io.ringtable.broker.home.going;
