package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.carried.CarriedProducer;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.relay.RelayAnswer;
import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.message.Address;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Is a link whose attach went to another node. It goes on here if this node becomes the owner of its address.
 * <p>
 * Thread: the connection's event loop.
 */
final class PassedOn implements RelayAnswer {
    private final AttachSteps steps;
    private final Link<?> link;
    private final NodeName node; // of the address; null if the link ends with its owner
    private final Runnable serves; // begins to serve the link here
    private final Runnable again; // null after another look

    /**
     * @param node of the address to which the link stays attached; null if it ends with its owner
     * @param serves begins to serve the link here
     * @param again does what the attach asks for, after another look at where the address lives
     */
    PassedOn(AttachSteps steps, Link<?> link, NodeName node, Runnable serves, Runnable again) {
        this.steps = steps;
        this.link = link;
        this.node = node;
        this.serves = serves;
        this.again = again;
    }

    private LinkNames.Claim claim() {
        return link.getLinkedResource(LinkNames.Claim.class);
    }

    @Override
    public boolean isWanted() {
        return steps.isWanted(link) && !claim().isStolen();
    }

    @Override
    public void opened(AmqpLink attached) {
        claim().hold(attached);
        attached.checkRights(); // the rules may have changed since the attach was judged
    }

    @Override
    public void refused(ErrorCondition condition) {
        if (!isWanted()) {
            gone();
        } else if (again != null && CarriedClient.isElsewhere(condition)) {
            again.run();
        } else {
            steps.refuseUnlessWayIsMade(link, condition);
        }
    }

    @Override
    public void gone() {
        if (steps.isWanted(link)) {
            steps.refuse(link, LinkNames.Claim.stolenCondition());
        } else {
            steps.release(link);
        }
    }

    @Override
    public void takesPlace(AmqpLink relayed) {
        steps.replace(link, relayed);
    }

    @Override
    public boolean follows() {
        return node != null;
    }

    /**
     * {@inheritDoc} An attach without an answer begins anew. Numbered producers ask how far they are; others that do
     * not go would miss messages unseen.
     */
    @Override
    public boolean survivesOwner() {
        if (claim().mayWait()) {
            return true;
        }
        Address address = node == null ? null : steps.whole(node, link instanceof Receiver);
        if (address == null || address.isTemporary()) {
            return false;
        }
        if (link instanceof Receiver publisher) {
            return ProducerTerms.of(publisher) == null;
        }
        Source source = link.getRemoteSource();
        return address.isQueue() ? !ConsumerAttach.isCopy(source) : ConsumerAttach.isDurable(source);
    }

    @Override
    public RemoteHome home() {
        return node != null && link instanceof Receiver ? steps.publishedElsewhere(node) : steps.elsewhere(node);
    }

    @Override
    public void lastNumber(CarriedProducer producer, Consumer<CarriedProducer> then) {
        steps.lastNumber(node, producer, then);
    }

    @Override
    public boolean isHere() {
        return steps.isHere(node, link instanceof Receiver);
    }

    @Override
    public void serveHere() {
        serves.run();
    }
}
