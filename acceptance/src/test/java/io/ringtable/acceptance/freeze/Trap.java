package io.ringtable.acceptance.freeze;

import io.ringtable.acceptance.harness.BrokerProcess;

/**
 * Is something that a frozen node must not fall into. A trap is set at the active node, and sprung while that node is
 * frozen and another one serves. The test looks at the trap when the node has gone on. Thread: the test's.
 */
interface Trap extends AutoCloseable {
    /** Does what the other node durably knows, then leaves bytes in the socket of the frozen one. */
    void spring(BrokerProcess serving);

    /** Hears what the node that goes on says to what waited in its socket, until it ends the connection. */
    void hearOut();

    /** Accounts for the rest at the node that serves now, whether the trap was sprung or not. */
    void settle(BrokerProcess serving);

    @Override
    void close();
}
