package io.ringtable.test;

import java.util.List;

/**
 * Lets the tests that ask for the same properties use one broker. The end of a test takes away its addresses. These are
 * all that exist if no other test runs, else those that the test has to itself.
 * <p>
 * Thread: those of tests, several at a time.
 */
final class SharedBroker implements AutoCloseable {
    private final TestBroker broker;
    private final AddressCleaner cleaner;
    private int running; // tests that use the broker now; guarded by this

    SharedBroker(TestBroker broker) {
        this.broker = broker;
        this.cleaner = new AddressCleaner(broker.process());
    }

    TestBroker broker() {
        return broker;
    }

    /** Begins a test; it waits while another one's addresses are taken away. */
    synchronized void begin() {
        if (running++ == 0) {
            broker.process().journal().clear();
        }
    }

    /** Ends a test. @param own names of the addresses that it had to itself */
    synchronized void end(List<String> own) {
        if (--running > 0) {
            cleaner.clean(own);
            return;
        }
        broker.mend();
        cleaner.cleanAll();
    }

    @Override
    public void close() {
        broker.close();
    }
}
