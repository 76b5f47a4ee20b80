package io.ringtable.broker.shard;

import io.ringtable.broker.message.Address;
import org.junit.jupiter.api.BeforeEach;

/** The same with a queue that is there when the test begins. */
abstract class SteppedQueueTest extends SteppedTest {
    static final String QUEUE = "q";

    Address queue;

    @BeforeEach
    final void makeQueue() {
        queue = shard.queue(QUEUE);
    }

    /** A crash; the next shard recovers from the tables. */
    void restart() {
        shard.crashAndRestart();
        queue = shard.address(QUEUE);
    }

    final Reader reader(long credit) {
        return shard.attach(shard.reader(queue), credit);
    }
}
