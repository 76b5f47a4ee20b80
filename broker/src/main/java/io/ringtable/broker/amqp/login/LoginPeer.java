package io.ringtable.broker.amqp.login;

import io.netty.channel.Channel;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/** Shows a connection to its login; {@code toString} names it for log lines. Thread: its event loop. */
public interface LoginPeer {
    Channel channel();

    ConnectionMailbox mailbox();

    /**
     * Notes who the client is, before anything else of it is read.
     *
     * @param standing says who it is whenever users have changed; null then means that the login counts no longer
     */
    void loggedIn(Identity identity, Supplier<Identity> standing);

    /** Ends a connection that has logged in. @param lost its deliveries go to others, as those of a lost one */
    void close(ErrorCondition condition, boolean lost);

    /** Lets the outcome reach the client, then closes. */
    void closeAfterFlush();
}
