package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.driver.Destination;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Describes the publishers and the consumers. The name says it all:
 *
 * <pre>
 * [sdk]P:C           P producers and C consumers of one queue; sdk alone is sdk1:1
 * [sdk]QxP:C         the same for each of Q queues
 * [sdk]syncP         P producers that wait for each outcome, default 1
 * [sdk]fanoutN       one producer and N durable subscriptions, default 10
 * [sdk]stalledN      the same, and one of the N takes nothing
 * [sdk]backlogP:C    P producers fill a queue, then C consumers empty it, default 8:8
 * [sdk]soakP:C       half of the top rate of P:C for a long time, default 8:8
 * paced              1:1/5000
 * …@SIZE             bodies of SIZE bytes, such as 1k or 1m, default 300
 * …/RATE             messages per second of all producers together, at intended times
 * </pre>
 *
 * @param sdk true for Ringtable's own client, false for Qpid JMS
 * @param topic true for one durable subscription per consumer, false for queues that they share
 * @param queues how many queues they share, in turn
 * @param waits whether a publisher waits for the outcome of each message before it sends the next
 * @param stalled subscribers beside the consumers that take nothing
 * @param rate messages per second of all publishers together, at intended times; 0 for as fast as they can
 */
record Scenario(
        String name,
        Kind kind,
        boolean sdk,
        boolean topic,
        int queues,
        boolean waits,
        int producers,
        int consumers,
        int stalled,
        int rate,
        int bodyBytes) {

    /** Says what is measured. */
    enum Kind {
        /** A load that goes on as it is. */
        STEADY,
        /** A queue that is filled and then emptied. */
        BACKLOG,
        /** A load at half of the top rate, over a long time. */
        SOAK
    }

    /** The name of the one queue; of several, with a number behind it. */
    static final String QUEUE = "bench-queue";

    private static final Pattern NAME =
            Pattern.compile("(?<sdk>sdk)?(?:(?<queues>[1-9]\\d*)x)?(?<word>|sync|fanout|stalled|backlog|soak|paced)"
                    + "(?<clients>[1-9]\\d*(?::[1-9]\\d*)?)?(?:@(?<size>\\d+)(?<unit>[km]?))?(?:/(?<rate>[1-9]\\d*))?");
    private static final int PACED_RATE = 5_000;
    private static final int BODY_BYTES = 300;
    private static final int BODY_BYTES_MIN = Long.BYTES; // the intended send time
    private static final int UNDER_WAY_MAX = 1_000;
    private static final int UNDER_WAY_BYTES_MAX = 16 << 20;

    static Scenario named(String name) {
        Matcher parts = NAME.matcher(name);
        if (!parts.matches()) {
            throw unknown(name);
        }
        boolean sdk = parts.group("sdk") != null;
        String word = parts.group("word");
        String clients = parts.group("clients") == null ? usualClients(word, sdk) : parts.group("clients");
        boolean topic = word.equals("fanout") || word.equals("stalled");
        boolean waits = word.equals("sync");
        String[] counts = clients.split(":");
        boolean hasQueues = parts.group("queues") != null;
        if ((counts.length == 2) == (topic || waits)) { // also where clients are missing
            throw unknown(name);
        }
        if (hasQueues && !word.isEmpty()) { // words have one address
            throw unknown(name);
        }
        int queues = hasQueues ? Integer.parseInt(parts.group("queues")) : 1;
        int first = Integer.parseInt(counts[0]);
        int stalled = word.equals("stalled") ? 1 : 0;
        int usualRate = word.equals("paced") ? PACED_RATE : 0;
        return new Scenario(
                name,
                kind(word),
                sdk,
                topic,
                queues,
                waits,
                topic ? 1 : queues * first,
                topic ? first - stalled : waits ? 0 : queues * Integer.parseInt(counts[1]),
                stalled,
                parts.group("rate") == null ? usualRate : Integer.parseInt(parts.group("rate")),
                parts.group("size") == null ? BODY_BYTES : bytes(name, parts.group("size"), parts.group("unit")));
    }

    private static String usualClients(String word, boolean sdk) {
        return switch (word) {
            case "sync" -> "1";
            case "fanout", "stalled" -> "10";
            case "backlog", "soak" -> "8:8";
            case "paced" -> "1:1";
            default -> sdk ? "1:1" : "";
        };
    }

    private static Kind kind(String word) {
        return switch (word) {
            case "backlog" -> Kind.BACKLOG;
            case "soak" -> Kind.SOAK;
            default -> Kind.STEADY;
        };
    }

    private static int bytes(String name, String size, String unit) {
        int bytes = Integer.parseInt(size) << (unit.equals("m") ? 20 : unit.equals("k") ? 10 : 0);
        if (bytes < BODY_BYTES_MIN) {
            throw new IllegalArgumentException("scenario=" + name + " has bodies of " + bytes
                    + " bytes, and the send time alone takes " + BODY_BYTES_MIN);
        }
        return bytes;
    }

    private static IllegalArgumentException unknown(String name) {
        return new IllegalArgumentException(
                "scenario=" + name + " is none of P:C QxP:C syncP fanoutN stalledN backlogP:C"
                        + " soakP:C paced, with sdk before and @SIZE or /RATE behind it");
    }

    Scenario withRate(int perSecond) {
        return new Scenario(name, kind, sdk, topic, queues, waits, producers, consumers, stalled, perSecond, bodyBytes);
    }

    /** Returns how many messages a client may have under way, or take at once: large bodies lower the number. */
    int underWayMax() {
        return Math.max(1, Math.min(UNDER_WAY_MAX, UNDER_WAY_BYTES_MAX / bodyBytes));
    }

    /** Returns the address that a publisher or a consumer uses. @param client its number, from 0 on */
    Destination destination(int client) {
        return topic
                ? Destination.topic("bench-topic")
                : Destination.queue(queues == 1 ? QUEUE : QUEUE + "-" + client % queues);
    }
}
