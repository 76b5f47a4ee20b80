package io.ringtable.benchmarks.endtoend.driver;

/** Names a queue or a topic. */
public record Destination(boolean topic, String name) {

    public static Destination queue(String name) {
        return new Destination(false, name);
    }

    public static Destination topic(String name) {
        return new Destination(true, name);
    }
}
