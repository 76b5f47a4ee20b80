package io.ringtable.benchmarks.endtoend;

/** A queue or a topic by name. */
record Destination(boolean topic, String name) {

    static Destination queue(String name) {
        return new Destination(false, name);
    }

    static Destination topic(String name) {
        return new Destination(true, name);
    }
}
