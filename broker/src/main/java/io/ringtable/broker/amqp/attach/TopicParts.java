package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.consume.SharedLink;
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
import java.util.List;
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
    private Answers answers; // to the last question
    private boolean attached; // one of them may have, since that question; read once its stage has ended

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
    }

    @Override
    public CompletionStage<Void> attach() {
        CompletableFuture<Void> all = new CompletableFuture<>();
        connection.mailbox().post(() -> {
            answers = new Answers(all);
            answers.ask();
            connection.mailbox().later(answers::isLate, PATIENCE_MS);
        });
        return all;
    }

    @Override
    public boolean mayHaveAttached() {
        return attached;
    }

    /** Gives each of the nodes its share of the client's credit. @param own serves the link at this node, not yet */
    void share(SharedLink own) {
        own.shareWith(answers.credit);
    }

    /** Ends the client's link, which is attached now, if a node has ended its own already. */
    void serve(SharedLink own) {
        if (answers.credit.lost() != null) {
            own.detach(answers.credit.lost());
        }
    }

    /** Ends what is attached at other nodes: the link does not come about. Thread: any. */
    void end() {
        connection.mailbox().post(() -> {
            if (answers != null) {
                answers.credit.end(false);
            }
        });
    }

    /** Waits for the answers of all nodes. */
    private final class Answers {
        private final CompletableFuture<Void> all;
        private final SharedCredit credit = new SharedCredit(sender, connection.mailbox());
        private final Map<String, RemoteHome> nodes = new LinkedHashMap<>(); // that are not asked yet
        private boolean hasOwn; // a part, which this node has asked before
        private int missing;

        Answers(CompletableFuture<Void> all) {
            this.all = all;
        }

        void ask() {
            attached = false;
            for (Home home : shard.homesOf(topic)) {
                RemoteHome part = RemoteHome.of(home);
                if (part != null) {
                    nodes.putIfAbsent(part.node(), part);
                } else if (home.refusal() != null) {
                    fail(Conditions.of(home.refusal()));
                    return;
                } else {
                    hasOwn = true;
                }
            }
            missing = nodes.size();
            if (missing == 0) {
                all.complete(null);
            } else if (hasOwn) {
                askRest();
            } else {
                // Links attend all parts. So whether the subscription may be changed is judged by the first alone.
                ask(nodes.remove(nodes.keySet().iterator().next()));
            }
        }

        private void askRest() {
            List<RemoteHome> rest = List.copyOf(nodes.values());
            nodes.clear();
            rest.forEach(this::ask);
        }

        private void ask(RemoteHome part) {
            front.attachPart(sender, part, credit, rights, new Part(this));
        }

        void isLate() {
            if (!all.isDone()) {
                attached = true;
                fail(Conditions.of(
                        ConnectionError.CONNECTION_FORCED,
                        "RT-4659 another node that has parts of " + topic + " does not answer: attach again"));
            }
        }

        void opened() {
            attached = true;
            if (--missing == 0) {
                all.complete(null);
            } else {
                askRest();
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
            return !answers.credit.isEnded() && wanted.get();
        }

        @Override
        public void opened(AmqpLink link) {
            answers.opened();
        }

        @Override
        public void refused(ErrorCondition condition) {
            if (CarriedClient.isOfUnknownOutcome(condition)) {
                attached = true;
            }
            answers.fail(condition);
        }

        @Override
        public void gone() {
            attached = true;
            answers.fail(LinkNames.Claim.stolenCondition());
        }
    }
}
