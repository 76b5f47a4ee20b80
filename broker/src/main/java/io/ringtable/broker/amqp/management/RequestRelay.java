package io.ringtable.broker.amqp.management;

import io.netty.channel.EventLoop;
import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.relay.Relays;
import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.ManagementRequest;
import io.ringtable.broker.management.NodeRequests;
import io.ringtable.broker.management.Problem;
import io.ringtable.wire.Encoding;
import io.ringtable.wire.EncodingWriter;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.SectionDecoder;
import io.ringtable.wire.Sections;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Properties;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Passes requests of this node's administrators on to the management nodes of others, each in the name of who asks
 * (ADR 73). Reads the answers on threads of the common pool, since an event loop has other things to do.
 * <p>
 * Thread: any. Failure: is an answer, which names both nodes.
 */
public final class RequestRelay {
    /** Limits what is under way for one user, so that another user's requests are not held up by it. */
    private static final int REQUESTS_MAX = 32;

    private static final int UNAVAILABLE = 503;
    private static final int TIMED_OUT = 504;
    private static final int FIRST_ERROR = 400;
    private static final int PROPERTIES = 5; // the first fields, up to reply-to

    private final Relays relays;
    private final EventLoop loop;
    private final String node;
    private final AtomicLong requests = new AtomicLong();
    private final Map<String, Integer> underWay = new ConcurrentHashMap<>(); // by user

    /**
     * @param loop one of those of the relays: its relays carry all requests
     * @param node id of this node
     */
    public RequestRelay(Relays relays, EventLoop loop, String node) {
        this.relays = relays;
        this.loop = loop;
        this.node = node;
    }

    /** Tells whether this node may ask others. */
    public boolean mayAsk(RemoteHome home) {
        return relays.mayAsk(home);
    }

    /**
     * Asks the node of a home.
     *
     * @param waitMs how long to wait for the answer, in ms
     * @return what it answers, or why it does not; never fails
     */
    public CompletionStage<ManagementAnswer> ask(RemoteHome home, ManagementRequest request, long waitMs) {
        String user = request.caller().identity().name();
        if (underWay.merge(user, 1, Integer::sum) > REQUESTS_MAX) {
            finished(user);
            return CompletableFuture.completedFuture(problem(
                    UNAVAILABLE,
                    "RT-4623",
                    "nothing was done: " + REQUESTS_MAX + " requests of user '" + user
                            + "' to other nodes are under way: ask again when some of them are answered"));
        }
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        String id = "request-" + requests.incrementAndGet();
        CarriedClient client = new CarriedClient(
                id, "", request.caller().identity(), request.caller().from(), id, false);
        relays.ask(loop, home, client, encoded(request), waitMs, new Relays.RequestAnswer() {
            @Override
            public void answered(byte[] encoded) {
                reply.complete(encoded);
            }

            @Override
            public void failed(String why, boolean mayBeDone) {
                reply.completeExceptionally(new Unanswered(why, mayBeDone));
            }
        });
        return reply.handleAsync((encoded, failure) -> {
            finished(user);
            return failure == null ? answer(home, encoded) : unanswered(home, (Unanswered) failure);
        });
    }

    private void finished(String user) {
        underWay.computeIfPresent(user, (known, count) -> count == 1 ? null : count - 1);
    }

    /** Tells why there is no answer. */
    private static final class Unanswered extends Exception {
        private static final long serialVersionUID = 1L;

        private final boolean mayBeDone;

        Unanswered(String why, boolean mayBeDone) {
            super(why, null, false, false);
            this.mayBeDone = mayBeDone;
        }
    }

    private ManagementAnswer unanswered(RemoteHome home, Unanswered why) {
        return why.mayBeDone
                ? unknown(home, why.getMessage())
                : NodeRequests.nothingDone(
                        "node " + node + " cannot ask the node of " + home + ": " + why.getMessage());
    }

    private ManagementAnswer unknown(RemoteHome home, String why) {
        return problem(
                TIMED_OUT,
                "RT-4619",
                "node " + node + " has no answer from the node of " + home + ": " + why
                        + ". What was asked may be done: look before you ask again");
    }

    private static ManagementAnswer problem(int status, String code, String text) {
        return new ManagementAnswer(status, new Problem(code, text));
    }

    // ---- messages

    private static byte[] encoded(ManagementRequest request) {
        String query = request.query().entrySet().stream()
                .map(each -> encoded(each.getKey()) + "=" + encoded(each.getValue()))
                .collect(Collectors.joining("&"));
        EncodingWriter writer = new EncodingWriter();
        writer.section(Sections.PROPERTIES);
        int properties = writer.beginCompound(Encoding.LIST_32);
        writer.writeNull(); // message-id
        writer.writeNull(); // user-id
        writer.writeString(request.path() + (query.isEmpty() ? "" : "?" + query));
        writer.writeString(request.method());
        writer.writeString(ManagementLinks.ME);
        writer.endCompound(properties, PROPERTIES);
        writer.section(Sections.VALUE);
        writer.writeValue(request.body() == null ? null : ManagementJson.MAPPER.writeValueAsString(request.body()));
        return writer.toBytes();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private ManagementAnswer answer(RemoteHome home, byte[] encoded) {
        try {
            Sections sections = new Sections().over(encoded, 0, encoded.length);
            SectionDecoder decoder = new SectionDecoder();
            int status = 0;
            String json = null;
            while (sections.advance()) {
                if (sections.code() == Sections.PROPERTIES) {
                    status = Integer.parseInt(((Properties) decoder.decode(sections)).getSubject());
                } else if (sections.code() == Sections.VALUE) {
                    json = (String) ((AmqpValue<?>) decoder.decode(sections)).getValue();
                }
            }
            JsonNode body = json == null ? null : ManagementJson.MAPPER.readTree(json);
            return new ManagementAnswer(status, status < FIRST_ERROR ? body : ManagementJson.read(body, Problem.class));
        } catch (MalformedMessage | JacksonException | IllegalArgumentException | ClassCastException e) {
            return unknown(home, "its answer cannot be read: " + e.getMessage());
        }
    }
}
