package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.consume.ConsumerLink;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.SharedCredit;
import io.ringtable.broker.amqp.relay.Front;
import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.PartsElsewhere;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Has a consumer of a topic attached at each other node that has parts of it, before the client's attach is answered
 * (ADR 82). All of these nodes serve the link, or none does. Each of them makes the subscription in its parts.
 * <p>
 * Thread: the connection's event loop; any asks.
 */
final class TopicParts implements PartsElsewhere {
    /** Bounds the wait for nodes that answer nothing though their relays live: others of the client wait behind it. */
    private static final long PATIENCE_MS = 60_000;

    private final OpenConnection connection;
    private final Front front;
    private final Shard shard;
    private final Sender sender;
    private final Address topic;
    private final Supplier<ErrorCondition> rights;
    private final Supplier<Boolean> wanted;
    private final SharedCredit credit;

    /**
     * Makes what asks the other nodes for one link.
     *
     * @param rights returns why the client may no longer have the link; null while it may
     */
    TopicParts(
            AttachSteps steps,
            OpenConnection connection,
            Front front,
            Shard shard,
            Sender sender,
            Address topic,
            Supplier<ErrorCondition> rights) {
        this.connection = connection;
        this.front = front;
        this.shard = shard;
        this.sender = sender;
        this.topic = topic;
        this.rights = rights;
        this.wanted = () -> steps.isWanted(sender);
        this.credit = new SharedCredit(sender, connection.mailbox());
    }

    @Override
    public CompletionStage<Void> attach() {
        Answers answers = new Answers();
        connection.mailbox().post(answers::ask);
        connection.mailbox().later(answers::isLate, PATIENCE_MS);
        return answers.all;
    }

    /** Gives each of the nodes its share of the client's credit. @param own serves the link from this node's parts */
    void serve(ConsumerLink own) {
        own.shareWith(credit);
        if (credit.lost() != null) {
            own.detach(credit.lost());
        }
    }

    /** Ends what is attached at other nodes: the link does not come about. Thread: any. */
    void end() {
        connection.mailbox().post(() -> credit.end(false));
    }

    /** Waits for the answers of all nodes. */
    private final class Answers {
        private final CompletableFuture<Void> all = new CompletableFuture<>();
        private int missing;

        void ask() {
            Map<String, RemoteHome> nodes = new LinkedHashMap<>();
            for (Home home : shard.homesOf(topic)) {
                RemoteHome part = RemoteHome.of(home);
                if (part != null) {
                    nodes.putIfAbsent(part.node(), part);
                } else if (home.refusal() != null) {
                    fail(Conditions.of(home.refusal()));
                    return;
                }
            }
            missing = nodes.size();
            if (missing == 0) {
                all.complete(null);
            }
            nodes.values().forEach(part -> front.attachPart(sender, part, credit, rights, new Part(this)));
        }

        void isLate() {
            if (!all.isDone()) {
                fail(Conditions.of(
                        ConnectionError.CONNECTION_FORCED,
                        "RT-4659 another node that has parts of " + topic + " does not answer: attach again"));
            }
        }

        void opened() {
            if (--missing == 0) {
                all.complete(null);
            }
        }

        void fail(ErrorCondition why) {
            credit.end(false);
            all.completeExceptionally(Conditions.refused(why));
        }
    }

    /** Hears what becomes of the link to one node. */
    private final class Part implements PartAnswer {
        private final Answers answers;

        Part(Answers answers) {
            this.answers = answers;
        }

        @Override
        public boolean isWanted() {
            return !credit.isEnded() && wanted.get();
        }

        @Override
        public void opened(AmqpLink link) {
            answers.opened();
        }

        @Override
        public void refused(ErrorCondition condition) {
            answers.fail(condition);
        }

        @Override
        public void gone() {
            answers.fail(LinkNames.Claim.stolenCondition());
        }
    }
}
