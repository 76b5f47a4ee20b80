package io.ringtable.broker.amqp.login;

import io.netty.channel.Channel;
import io.ringtable.broker.amqp.link.ConnectionMailbox;

/** A connection as its login sees it. {@link #toString} names it for log lines. Thread: its event loop. */
public interface LoginPeer {
    Channel channel();

    ConnectionMailbox mailbox();

    /** Called before anything else of the client is read. */
    void loggedIn(String name);

    /** Lets the outcome reach the client, then closes. */
    void closeAfterFlush();
}
