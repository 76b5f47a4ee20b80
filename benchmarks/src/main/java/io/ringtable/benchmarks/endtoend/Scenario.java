package io.ringtable.benchmarks.endtoend;

/**
 * Describes the publishers and the consumers.
 *
 * @param sdk true for Ringtable's own client, false for Qpid JMS
 * @param topic true for one durable subscription per consumer, false for one queue that they share
 * @param waits whether a publisher waits for the outcome of each message before it sends the next
 * @param rate messages per second of all publishers together, at intended times; 0 for as fast as they can
 */
record Scenario(String name, boolean sdk, boolean topic, boolean waits, int producers, int consumers, int rate) {

    static Scenario named(String name) {
        return switch (name) {
            case "1:1" -> new Scenario(name, false, false, false, 1, 1, 0);
            case "8:8" -> new Scenario(name, false, false, false, 8, 8, 0);
            case "fanout" -> new Scenario(name, false, true, false, 1, 10, 0);
            case "sync" -> new Scenario(name, false, false, true, 1, 0, 0);
            case "sync64" -> new Scenario(name, false, false, true, 64, 0, 0);
            case "paced" -> new Scenario(name, false, false, false, 1, 1, 5_000);
            case "sdk" -> new Scenario(name, true, false, false, 1, 1, 0);
            case "sdk8:8" -> new Scenario(name, true, false, false, 8, 8, 0);
            case "sdksync" -> new Scenario(name, true, false, true, 1, 0, 0);
            case "sdksync64" -> new Scenario(name, true, false, true, 64, 0, 0);
            default ->
                throw new IllegalArgumentException("scenario=" + name
                        + " is none of 1:1 8:8 fanout sync sync64 paced sdk sdk8:8 sdksync sdksync64");
        };
    }

    Driver driver(int port) {
        return sdk ? new SdkDriver(port) : new JmsDriver(port);
    }

    /** Returns the one address that all publishers and consumers use. */
    Destination destination() {
        return topic ? Destination.topic("bench-topic") : Destination.queue("bench-queue");
    }
}
