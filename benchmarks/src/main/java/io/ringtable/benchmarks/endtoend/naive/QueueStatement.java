package io.ringtable.benchmarks.endtoend.naive;

/** Names the statements of the naive queue's clients; their files in {@code db/<engine>/statements} are named alike. */
enum QueueStatement {
    QUEUE_CREATE,
    QUEUE_PUSH,
    QUEUE_POP,
    TOPIC_CREATE,
    TOPIC_SUBSCRIBER_CREATE,
    TOPIC_SUBSCRIBE,
    TOPIC_PUSH,
    TOPIC_POP
}
