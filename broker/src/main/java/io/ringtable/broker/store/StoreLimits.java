package io.ringtable.broker.store;

/**
 * What an engine declares about itself: sizes that callers keep to, and properties that people and tests are told. No caller acts on an
 * engine's name, nor on one of the properties.
 *
 * @param engine for people: name and version of the server, e.g. "PostgreSQL 18.1"
 * @param inlineBytesMax longest encoded message that fits into a slot; longer ones are staged in overflow
 * @param flushMessagesMax most claims in one flush
 * @param logBlockBytes the engine's log block, for metrics: how full the flushes are
 * @param exclusiveFile true if the store is a file that only one process may open
 * @param delayed the settings by which a commit may return before its log is on disk; null = none, every commit waits for it
 */
public record StoreLimits(
        String engine,
        int inlineBytesMax,
        int flushMessagesMax,
        int logBlockBytes,
        boolean exclusiveFile,
        String delayed) {

    /** For people: what a message that was accepted can rely on. */
    public String durability() {
        return delayed == null
                ? "full (synced before accepted)"
                : "DELAYED (" + delayed + "): accepted messages can be lost in a crash";
    }
}
