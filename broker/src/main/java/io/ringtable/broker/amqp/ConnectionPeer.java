package io.ringtable.broker.amqp;

import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.link.AmqpLink;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Is who has the links of a connection: its own client, or the clients that another node carries on it.
 * <p>
 * Thread: the connection's event loop.
 */
interface ConnectionPeer {
    /** Gives credit and writes what had to wait, after everything that arrived together has been read. */
    void endOfBatch();

    /** Returns the links among which one may have that name on the connection, to go through while some end. */
    List<AmqpLink> linksBeside(String name);

    /** Ends all links. @param lost as in {@link AmqpLink#end} */
    void endLinks(boolean lost);

    /** Tells whether no work waits for an answer. */
    boolean isIdle();

    /**
     * Lets go of a shard that is no longer served.
     *
     * @param why the clients that hold anything of it must connect again
     * @return whether the connection must close for that
     */
    boolean leave(int shard, String why);

    /**
     * Lets go of a shard in order that another node takes over. Its links go there: those of a relay are detached, and
     * those of a client of this node's own become links of one. Clients that hold anything else of it must connect
     * again.
     *
     * @param why for those clients
     * @param isGone asked once no link is left: whether nothing of the shard waits for the socket
     * @param whenDone runs when nothing is left, or nothing that goes
     * @return false if nothing of the shard can go, or nothing is held of it; then nothing happens
     */
    boolean handOver(HandedOver to, String why, BooleanSupplier isGone, Runnable whenDone);

    /** Detaches the links that the rules no longer permit; the others follow the policies of now. */
    void rulesChanged();

    /** Follows the bounds that users have now. */
    void boundsChanged();

    /** Forgets everything: the connection is gone, and its links have ended. */
    void lost();
}
