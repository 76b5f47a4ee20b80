package io.ringtable.benchmarks.endtoend;

/** Names a queue or a topic. */
record Destination(boolean topic, String name) {

    static Destination queue(String name) {
        return new Destination(false, name);
    }

    static Destination topic(String name) {
        return new Destination(true, name);
    }
}
