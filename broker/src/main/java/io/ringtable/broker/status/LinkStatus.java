package io.ringtable.broker.status;

import java.time.Instant;

/**
 * Shows one attached link, as its connection's event loop saw it. Immutable.
 *
 * @param id such as {@code c17.3}
 * @param connection id of its connection
 * @param name that the client gave the link
 * @param role {@link #PUBLISHER}, {@link #CONSUMER} or {@link #COORDINATOR} of transactions
 * @param address null for a coordinator, and for a publisher to no address in particular
 * @param subscription id of the subscription that a consumer reads; null for others
 * @param credit that is given and not used: by the broker to a publisher, by the client to a consumer
 * @param unsettled of a publisher: transfers without an outcome; of a consumer: deliveries without one
 * @param messages that came in from a publisher, or went out to a consumer, since the link was attached
 * @param since when the link was attached
 * @param waitsFor what keeps messages from coming or going; null if nothing does
 */
public record LinkStatus(
        String id,
        String connection,
        String name,
        String role,
        String address,
        Long subscription,
        long credit,
        long unsettled,
        long messages,
        Instant since,
        WaitsFor waitsFor) {
    public static final String PUBLISHER = "publisher";
    public static final String CONSUMER = "consumer";
    public static final String COORDINATOR = "coordinator";

    /** Lists what a link can wait for. */
    public enum WaitsFor {
        /** Means that the address of a publisher is full: its readers must catch up. */
        ROOM,
        /** Means that heap or disk runs short, and all publishers are held back. */
        WATERMARK,
        /** Means that the committer has as much as it takes: the store is slow. */
        COMMITTER,
        /** Means that the connection holds as many bytes as it may. */
        MEMORY,
        /** Means that the user of a publisher has used up its rate. */
        RATE,
        /** Means that all messages that a publisher may have on their way are without an outcome. */
        OUTCOMES,
        /** Means that the client does not read what the broker has written. */
        READING,
        /** Means that a consumer has given no credit. */
        CREDIT,
        /** Means that the client's window of the session is used up. */
        WINDOW
    }

    /** Tells a link from all others of the broker. */
    public record Key(String id, String connection, String name, Instant since) {

        /** Describes a link. @param subscription null if the link reads none */
        public LinkStatus of(String role, String address, Long subscription, Counts counts, WaitsFor waitsFor) {
            return new LinkStatus(
                    id,
                    connection,
                    name,
                    role,
                    address,
                    subscription,
                    counts.credit(),
                    counts.unsettled(),
                    counts.messages(),
                    since,
                    waitsFor);
        }
    }

    /** Holds what a link counts. */
    public record Counts(long credit, long unsettled, long messages) {}
}
