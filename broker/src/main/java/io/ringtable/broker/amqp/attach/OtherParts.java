package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.consume.SharedLink;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.SharedCredit;
import io.ringtable.broker.amqp.relay.Front;
import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a consumer get what other nodes have of its queue (ADR 74). This node serves the consumer from its own parts, and
 * each other node that has parts serves it over a relay. A look every {@value #LOOK_MS} ms finds nodes that have taken
 * a part meanwhile, and those that could not be reached.
 * <p>
 * Thread: the connection's event loop.
 */
final class OtherParts implements ConnectionMailbox.Event {
    private static final Logger LOG = LoggerFactory.getLogger(OtherParts.class);
    private static final long LOOK_MS = 1_000;

    private final AttachSteps steps;
    private final OpenConnection connection;
    private final Front front;
    private final Shard shard;
    private final Sender sender;
    private final SharedLink own;
    private final Address address;
    private final SharedCredit credit;
    private final Set<String> nodes = new HashSet<>(); // that serve the link, or are asked
    private final Map<String, String> refusals = new HashMap<>(); // the last ones, by node
    private final boolean hasOwn;
    private boolean shared; // the credit: another node has been asked

    /**
     * @param own serves the link from the parts of this node
     * @param hasOwn whether this node has any
     */
    OtherParts(
            AttachSteps steps,
            OpenConnection connection,
            Front front,
            Shard shard,
            SharedLink own,
            boolean hasOwn,
            Address of) {
        this.steps = steps;
        this.connection = connection;
        this.front = front;
        this.shard = shard;
        this.sender = (Sender) own.link();
        this.own = own;
        this.hasOwn = hasOwn;
        this.address = of;
        this.credit = new SharedCredit(sender, connection.mailbox());
    }

    /** Begins to attach at the other nodes. */
    void begin() {
        if (!hasOwn) {
            share(); // nothing here answers a drain
        }
        onEventLoop();
    }

    /** Attaches at each node that has parts and does not serve the link yet. */
    @Override
    public void onEventLoop() {
        if (!isWanted()) {
            return;
        }
        for (Home home : shard.homesOf(address)) {
            RemoteHome part = RemoteHome.of(home);
            if (part == null && !hasOwn && home.refusal() == null) {
                connection.close(CarriedClient.moved(address.name()), true); // the client's next link reads it too
                return;
            }
            if (part != null && nodes.add(part.node())) {
                share();
                front.attachPart(sender, part, credit, own::refusal, new Part(part));
            }
        }
        connection.mailbox().later(this, LOOK_MS);
    }

    private void share() {
        if (!shared) {
            shared = true;
            own.shareWith(credit);
        }
    }

    /** Tells whether this node serves the client's link still: one that has followed its shard is of one node. */
    private boolean isWanted() {
        return !credit.isEnded() && sender.isLocallyOpen() && steps.isWanted(sender) && steps.held(sender) == own;
    }

    /** Hears what becomes of the link to one node. */
    private final class Part implements PartAnswer {
        private final RemoteHome at;
        private boolean awaited; // by drains

        Part(RemoteHome at) {
            this.at = at;
            this.awaited = !refusals.containsKey(at.node());
            if (awaited) {
                credit.awaits();
            }
        }

        private void isKnown() {
            if (awaited) {
                awaited = false;
                credit.awaitsNoMore();
            }
        }

        @Override
        public boolean isWanted() {
            return OtherParts.this.isWanted();
        }

        @Override
        public void opened(AmqpLink link) {
            refusals.remove(at.node());
            isKnown();
        }

        @Override
        public void refused(ErrorCondition condition) {
            nodes.remove(at.node());
            String why = condition.getDescription();
            if (!Objects.equals(refusals.put(at.node(), why), why)) {
                LOG.info(
                        "A consumer of {} gets nothing of {} yet, which is tried again: {}",
                        address,
                        at,
                        Printable.text(String.valueOf(why)));
            }
            isKnown();
        }

        @Override
        public void gone() {
            nodes.remove(at.node());
            isKnown();
        }
    }
}
