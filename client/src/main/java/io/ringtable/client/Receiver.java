package io.ringtable.client;

import java.time.Duration;
import java.util.Optional;

/** Gives messages one by one to the application, which settles each of them itself. Safe for any thread. */
public interface Receiver extends AutoCloseable {

    Address address();

    boolean isOpen();

    /**
     * Waits for the next message.
     * <p>
     * The call goes on waiting while the connection is lost: the SDK subscribes again by itself.
     *
     * @param timeout {@link Duration#ZERO} looks only at what has already arrived here
     * @return empty after the time-out
     * @throws RingtableException RT-5008 if the receiver is or gets closed
     * @throws RingtableException with the broker's condition if the broker ended the subscription
     * @throws RingtableException RT-5015 if called on the client's I/O thread
     */
    Optional<ReceivedMessage> receive(Duration timeout);

    /**
     * Sends the settlements made so far and closes; messages not settled go back to the broker. A durable subscription
     * goes on collecting messages there. Waits at most for the client's close time-out; closing again does nothing.
     */
    @Override
    void close();
}
