package io.ringtable.benchmarks.endtoend.figure;

import java.util.Locale;

/** Names the figures of a watch, in the order of the raw data's columns; a figure that nobody tells is NaN. */
public enum Figure {
    SECONDS,
    ACCEPTED_PER_S,
    /** Of all consumers together. */
    RECEIVED_PER_S,
    /** From the intended send time until a consumer has the message; until its outcome if the publisher waits. */
    LATENCY_MEDIAN_MS,
    LATENCY_P99_MS,
    LATENCY_MAX_MS,
    /** Accepted and not yet received by all that take messages, at the end of the watch. */
    WAITING,
    /** Processor time of the clients, the broker and the database's server; per received message if none came in. */
    CPU_US_PER_MESSAGE,
    /** Of the clients' process alone; an embedded database of the clients is in it. */
    CLIENT_CPU_US_PER_MESSAGE,
    BROKER_CPU_US_PER_MESSAGE,
    DATABASE_CPU_US_PER_MESSAGE,
    /** Of the committers of all shards. */
    COMMITTER_CPU_US_PER_MESSAGE,
    /** Of the dispatchers of all shards. */
    DISPATCHER_CPU_US_PER_MESSAGE,
    /** Processors that the broker kept busy. */
    BROKER_CPUS,
    /** Processors that other processes kept busy: 0 on a machine that does nothing else. */
    OTHER_CPUS,
    /**
     * Messages per second that these clients could reach if all else cost nothing: processors / processor time of the
     * clients per message. Nothing on the same machine can be faster while the clients work in this way. Waiting keeps
     * them below this rate: for a single thread, or for a sync of the disk.
     */
    CLIENTS_ALONE_PER_S,
    CLIENT_MB,
    BROKER_MB,
    DATABASE_MB,
    /** Allocated by the broker, as its collections counted it: the fewer collections, the coarser. */
    BROKER_BYTES_PER_MESSAGE,
    FLUSHES_PER_S,
    MESSAGES_PER_FLUSH,
    FLUSH_MS,
    /** Transactions of naive clients that found a lock in their way and began anew. */
    RETRIES_PER_S;

    public String column() {
        return name().toLowerCase(Locale.ROOT);
    }
}
