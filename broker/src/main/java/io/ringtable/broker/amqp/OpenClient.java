package io.ringtable.broker.amqp;

import io.netty.channel.EventLoop;
import io.ringtable.broker.status.ConnectionStatus;

/**
 * Is what operators see as one connection: that of a client, or a client that another node carries on a connection of
 * its own.
 * <p>
 * Thread: the connection's event loop, except where a method says otherwise.
 */
interface OpenClient {
    /** Returns the number, unique since the broker was made. Thread: any. */
    long number();

    /** Returns the id, which log lines have too. Thread: any. */
    default String id() {
        return "c" + number();
    }

    /** Returns the event loop that serves the client. Thread: any. */
    EventLoop loop();

    /** Returns the name of the event loop's thread. Thread: any. */
    String loopName();

    /** Returns what the client has open; null before the client's header. */
    ServedClient served();

    /** Describes the client, also before its header. */
    ConnectionStatus status();

    /** Does something for an operator; what follows from it is written. */
    void run(Runnable action);

    /** Closes the client's connection for an operator. @param why for the client */
    void closeFor(String why);
}
