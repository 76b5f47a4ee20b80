package io.ringtable.broker.engine;

import io.ringtable.broker.message.Address;
import org.junit.jupiter.api.BeforeEach;

/** The same with a queue that is there when the test begins. */
abstract class SteppedQueueTest extends SteppedTest {
    static final String QUEUE = "q";

    Address queue;

    @BeforeEach
    final void makeQueue() {
        queue = engine.queue(QUEUE);
    }

    /** A crash; the next engine recovers from the tables. */
    void restart() {
        engine.crashAndRestart();
        queue = engine.address(QUEUE);
    }

    final Reader reader(long credit) {
        return engine.attach(engine.reader(queue), credit);
    }
}
