package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.amqp.carried.CarriedProducer;
import io.ringtable.broker.amqp.link.AmqpLink;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/** Hears what the owner answers to an attach that was passed on. Thread: the event loop of the client's connection. */
public interface RelayAnswer {
    /** Tells whether the client still waits for the answer. */
    boolean isWanted();

    /** Hears that the link is attached at both ends. */
    void opened(AmqpLink link);

    /** Hears why it is not. Nothing was answered to the client. */
    void refused(ErrorCondition condition);

    /** Hears that the client has gone before the answer. */
    void gone();

    // ---- once it is attached

    /** Hears that a relayed link takes the place of one that this node has served. */
    void takesPlace(AmqpLink relayed);

    /** Tells whether the link may follow its shard to another node. */
    boolean follows();

    /**
     * Tells whether the link may go on at another node though its owner is lost. The shard has all that the link is
     * about.
     */
    boolean survivesOwner();

    /** Returns where the address lives now; null if this node has it, or no other one is seen that does. */
    RemoteHome home();

    /**
     * Asks how far the producer of a link is that this node has now.
     *
     * @param then hears it; null if this node cannot tell now
     */
    void lastNumber(CarriedProducer producer, Consumer<CarriedProducer> then);

    /** Tells whether this node has the address and serves it. */
    boolean isHere();

    /** Has this node itself serve the link from now on: it has the address. */
    void serveHere();
}
