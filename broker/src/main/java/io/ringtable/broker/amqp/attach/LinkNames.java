package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.OpenConnection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.LinkError;

/**
 * Records which link names are attached. A name is unique for a container and a direction, and a second attach takes
 * the link over from the first (AMQP 1.0 section 2.6.1). A client does so when it reconnects before the broker knows
 * that its old connection is dead.
 * <p>
 * Thread: any; a claim itself belongs to its connection's event loop.
 */
public final class LinkNames {
    private record Name(String container, boolean consumer, String link) {}

    private final ConcurrentHashMap<Name, Claim> claims = new ConcurrentHashMap<>();

    /** Holds the name of a link that is attached or attaching. */
    public static final class Claim {
        private final Name name;
        private final OpenConnection connection;
        private AmqpLink link;
        private Consumer<HandedOver> follow; // passes the link on; null = it stays with its node
        private Runnable makeWay; // deletes the subscription of the name at another node; null = it may not
        private WaitingAttach waiting; // instead of a refusal that passes; null = it is refused
        private boolean stolen;

        private Claim(Name name, OpenConnection connection) {
            this.name = name;
            this.connection = connection;
        }

        /** Sets the claim's link, and detaches it immediately if another link has stolen the name meanwhile. */
        void hold(AmqpLink attached) {
            link = attached;
            if (stolen) {
                link.detach(stolenCondition());
            }
        }

        /** Returns the claim's link; null before it is attached. */
        AmqpLink held() {
            return link;
        }

        /** Says how the link goes to another node that takes its shard over. */
        void mayFollow(Consumer<HandedOver> itsFollow) {
            follow = itsFollow;
        }

        /** Passes the link on to the node that takes its shard over, if it may go. */
        void follow(HandedOver to) {
            if (follow != null) {
                follow.accept(to);
            }
        }

        /** Says how a subscription of the link's name is deleted at another node, before another attach. */
        void mayMakeWay(Runnable itsMakeWay) {
            makeWay = itsMakeWay;
        }

        /** Has that done, once. @return false if nobody has said how, or not any more */
        boolean makesWay() {
            Runnable once = makeWay;
            makeWay = null;
            if (once != null) {
                once.run();
            }
            return once != null;
        }

        /** Says how the attach begins anew while no node serves what it asks for. */
        void mayWait(WaitingAttach itsWaiting) {
            waiting = itsWaiting;
        }

        /** Waits instead of a refusal. @return false if the link must be refused */
        boolean waits(ErrorCondition refusal) {
            return !stolen && waiting != null && refusal != null && waiting.waits(refusal);
        }

        /** Tells whether nobody serves the link yet, and it may wait until somebody does. */
        boolean mayWait() {
            return link == null && waiting != null;
        }

        boolean isStolen() {
            return stolen;
        }

        public static ErrorCondition stolenCondition() {
            return Conditions.of(LinkError.STOLEN, "RT-4049 another link of the same name and container attached");
        }

        private void steal() {
            stolen = true;
            if (link != null) {
                link.detach(stolenCondition());
            }
        }
    }

    /**
     * Claims a name, and goes on when an earlier holder has released it. {@code then} runs on the connection's own
     * event loop, perhaps before this returns.
     *
     * @param keep gets the claim before {@code then} runs
     */
    public void claim(OpenConnection connection, boolean consumer, String link, Consumer<Claim> keep, Runnable then) {
        Name name = new Name(connection.containerId(), consumer, link);
        Claim claim = new Claim(name, connection);
        keep.accept(claim);
        Claim before = name.container.isEmpty() ? null : claims.put(name, claim);
        if (before == null) {
            then.run();
        } else if (before.connection == connection) {
            before.steal();
            then.run();
        } else {
            before.connection.mailbox().post(() -> {
                before.steal();
                connection.mailbox().post(then::run);
            });
        }
    }

    public void release(Claim claim) {
        if (claim != null) {
            claims.remove(claim.name, claim);
        }
    }
}
