package io.ringtable.broker.amqp.management;

import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.publish.PublisherLink;
import io.ringtable.broker.amqp.publish.PublisherLinks;
import io.ringtable.broker.amqp.publish.PublisherTarget;
import io.ringtable.broker.amqp.publish.Publishing;
import io.ringtable.broker.management.Caller;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Keeps the links of one connection to and from the management node, and finds the link for an answer. An answer takes
 * a link of the same session and name (a link pair), else one of the same session, else any.
 * <p>
 * Thread: the connection's event loop.
 */
public final class ManagementLinks {
    /** Stands in a request's reply-to for the link that comes from the node. */
    static final String ME = "$me";

    /** Limits the links of one connection to the node, and those from it. */
    private static final int LINKS_MAX = 8;
    /** Limits a request, and an answer, in bytes: large enough for 1,000 items of a list. */
    private static final int BYTES_MAX = 1024 * 1024;
    /** Every client must take an answer that says what is wrong. */
    private static final int ANSWER_BYTES_LEAST = 4 * 1024;

    private static final String TOO_MANY = "a connection has at most " + LINKS_MAX
            + " links to the management node, and as many from it: use one for several requests";

    private static final Symbol PAIRED = Symbol.valueOf("paired");

    private final Publishing publishing;
    private final OpenConnection connection;
    private final ManagementNode node;
    private final String host;
    private final int bytesMax;
    private final RequestReader reader;
    private final AddressReplies addresses;
    private final List<ReplyLink> replies = new ArrayList<>();
    private final Set<ReplyLink> paused = new LinkedHashSet<>(); // unable to write: window or socket
    private int requests; // links to the node

    /** Makes the links of a connection, none yet. @param host of the client, for the audit log */
    public ManagementLinks(Publishing publishing, ManagementNode node, String host) {
        this.publishing = publishing;
        this.connection = publishing.connection();
        this.node = node;
        this.host = host;
        this.bytesMax =
                (int) Math.min(BYTES_MAX, publishing.settings().maxMessageSize().toBytes());
        this.reader = new RequestReader(publishing.facts());
        this.addresses = new AddressReplies(publishing, node.log(), bytesMax);
    }

    /** Returns the most bytes of a request. */
    public int requestBytesMax() {
        return bytesMax;
    }

    private Caller caller() {
        return new Caller(connection.identity(), connection.isCarried() ? Caller.RELAY : "amqp", host);
    }

    /**
     * Has the audit log tell of a change for which the client uses another link.
     *
     * @param what for people; names in it are printable
     * @return ends as the change does, once its line is written
     */
    public <T> CompletionStage<T> audited(String what, CompletionStage<T> change) {
        return node.audited(caller(), what, change);
    }

    // ---- attaching

    /** Returns why the connection gets no other link to the node; null if it does. */
    public ErrorCondition requestsRefusal() {
        return requests < LINKS_MAX ? null : refusal(TOO_MANY);
    }

    /** Returns why the connection does not get that link from the node; null if it does. */
    public ErrorCondition repliesRefusal(Sender sender) {
        if (replies.size() >= LINKS_MAX) {
            return refusal(TOO_MANY);
        }
        return answerBytesMax(sender) >= ANSWER_BYTES_LEAST
                ? null
                : refusal("a link from the management node takes messages of at least " + ANSWER_BYTES_LEAST
                        + " bytes: raise its max-message-size from " + sender.getRemoteMaxMessageSize());
    }

    private static ErrorCondition refusal(String why) {
        return Conditions.limit("RT-4398", why);
    }

    /** Opens a link on which the client sends requests. */
    public PublisherLink requests(Receiver receiver) {
        PublisherLink link = PublisherLinks.to(
                publishing,
                receiver,
                made -> new RequestTarget(this, made, publishing.memory(), reader, this::requestsEnded));
        requests++;
        answerPaired(receiver);
        return link;
    }

    private void requestsEnded() {
        requests--;
    }

    /** Returns what takes the requests that come on a link without a target, among messages to addresses. */
    public PublisherTarget relayed(PublisherLink anonymous) {
        return new RequestTarget(this, anonymous, publishing.memory(), reader, () -> {});
    }

    /** Opens a link on which the client takes answers. */
    public AmqpLink replies(Sender sender) {
        ReplyLink link = new ReplyLink(this, connection, publishing.counters(), sender, answerBytesMax(sender));
        replies.add(link);
        answerPaired(sender);
        return link;
    }

    private int answerBytesMax(Sender sender) {
        UnsignedLong most = sender.getRemoteMaxMessageSize();
        boolean isBounded = most != null && most.longValue() != 0;
        return isBounded && Long.compareUnsigned(most.longValue(), bytesMax) < 0 ? most.intValue() : bytesMax;
    }

    /** Confirms that both links of a pair belong together, as clients of RabbitMQ say. */
    private static void answerPaired(Link<?> link) {
        if (link.getRemoteProperties() != null
                && Boolean.TRUE.equals(link.getRemoteProperties().get(PAIRED))) {
            link.setProperties(Map.of(PAIRED, true));
        }
    }

    // ---- requests

    AddressReplies addresses() {
        return addresses;
    }

    /** Returns why no answer can go to the connection itself; null if one can. */
    ErrorCondition pairRefusal(PublisherLink asking) {
        return pairOf(asking) != null
                ? null
                : Conditions.of(
                        AmqpError.PRECONDITION_FAILED,
                        "RT-4394 reply-to is '" + ME + "', and no link of this connection comes from the management"
                                + " node: attach one before the request");
    }

    /** Returns the link for the answers to a link's requests; null if there is none. */
    ReplyWay pairOf(PublisherLink asking) {
        ReplyLink found = null;
        int best = -1;
        for (ReplyLink each : replies) {
            boolean sameSession = each.link().getSession() == asking.link().getSession();
            boolean sameName = each.link().getName().equals(asking.link().getName());
            int nearness = (sameSession ? 2 : 0) + (sameName ? 1 : 0);
            if (nearness > best) {
                best = nearness;
                found = each;
            }
        }
        return found;
    }

    /** Asks the node. @param answered gets the encoded answer, on the event loop */
    void ask(Request request, ReplyWay way, Consumer<byte[]> answered) {
        Caller caller = caller();
        node.answer(
                request,
                caller,
                way.to(),
                way.bytesMax(),
                reply -> connection.mailbox().post(() -> answered.accept(reply)));
    }

    // ---- answers

    void ended(ReplyLink link) {
        replies.remove(link);
        paused.remove(link);
    }

    /** Lets the link go on at the end of a later turn. */
    void pause(ReplyLink link) {
        paused.add(link);
        connection.waitsForTurn();
    }

    /** Tells whether links are paused. */
    public boolean arePaused() {
        return !paused.isEmpty();
    }

    /** Lets paused links go on, since the socket or a session may have room again. */
    public void resumePaused() {
        if (paused.isEmpty()) {
            return;
        }
        List<ReplyLink> again = List.copyOf(paused);
        paused.clear();
        again.forEach(ReplyLink::resume);
    }

    /** Drops the answers that wait: the connection is gone. */
    public void lost() {
        addresses.lost();
    }
}
