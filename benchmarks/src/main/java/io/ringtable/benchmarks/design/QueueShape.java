package io.ringtable.benchmarks.design;

/**
 * Holds what the sessions of a case have in common.
 *
 * @param batch messages per commit, at least 1
 * @param bodyBytes length of each body, at least 11
 * @param subscribers that each pop every message, 1 to 10
 * @param ringSize slots, a multiple of 10 at least as large as the batch; a queue of rows has none
 */
public record QueueShape(int batch, int bodyBytes, int subscribers, int ringSize) {
    private static final int SUBSCRIBERS_MAX = 10;
    private static final int BODY_MIN = 11; // "Hello World"

    public QueueShape {
        require(batch >= 1, "batch", batch, "at least 1");
        require(bodyBytes >= BODY_MIN, "body_bytes", bodyBytes, "at least " + BODY_MIN);
        require(subscribers >= 1 && subscribers <= SUBSCRIBERS_MAX, "subscribers", subscribers, "1 to 10");
        require(
                ringSize >= batch && ringSize % 10 == 0,
                "ring_size",
                ringSize,
                "a multiple of 10 and not smaller than the batch, " + batch);
    }

    private static void require(boolean holds, String what, int value, String wanted) {
        if (!holds) {
            throw new IllegalArgumentException(what + "=" + value + " is not " + wanted);
        }
    }
}
