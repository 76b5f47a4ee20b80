package io.ringtable.broker.store;

/**
 * Declares sizes of an engine that callers keep to, and properties that people and tests are told. No caller acts on an
 * engine's name, nor on one of the properties.
 *
 * @param engine for people: name and version of the server, e.g. "PostgreSQL 18.1"
 * @param inlineBytesMax longest encoded message that fits into a slot; longer ones are staged in overflow
 * @param flushMessagesMax most claims in one flush
 * @param logBlockBytes the engine's log block, for metrics: how full the flushes are
 * @param exclusiveFile true if the store is a file that only one process may open
 * @param delayed the settings by which a commit may return before its log is on disk; null = none, every commit waits
 *     for its log
 * @param unreplicated why a fail-over to another server may lose accepted messages; null = there is no such server, or
 *     every commit waits for one
 */
public record StoreLimits(
        String engine,
        int inlineBytesMax,
        int flushMessagesMax,
        int logBlockBytes,
        boolean exclusiveFile,
        String delayed,
        String unreplicated) {

    /** Tells people what an accepted message can rely on. */
    public String durability() {
        if (delayed != null) {
            return "DELAYED (" + delayed + "): accepted messages can be lost in a crash";
        }
        return unreplicated == null
                ? "full (synced before accepted)"
                : "full on one server (synced before accepted), and lost in a fail-over: " + unreplicated;
    }
}
