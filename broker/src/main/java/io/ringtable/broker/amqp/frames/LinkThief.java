package io.ringtable.broker.amqp.frames;

/** Ends a link since another one of its name attaches on the same session. Thread: the connection's event loop. */
@FunctionalInterface
public interface LinkThief {
    /** @param channel on which the client sends for the link's session */
    void steal(String name, boolean consumer, int channel);
}
