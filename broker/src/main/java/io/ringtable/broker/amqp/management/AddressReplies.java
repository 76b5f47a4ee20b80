package io.ringtable.broker.amqp.management;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.PeerLog;
import io.ringtable.broker.amqp.publish.Publishing;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Sends answers to addresses, in the name of the connection's user and by its rights. The address is the temporary
 * queue of a JMS client, or any other. An answer that its address cannot take is dropped, with a line in the log.
 * <p>
 * Thread: the connection's event loop.
 */
final class AddressReplies {
    private static final String NO_ANSWER = "RT-4397";

    private final Publishing publishing;
    private final OpenConnection connection;
    private final PeerLog log;
    private final int bytesMax;
    private final Set<AddressedReply> waiting = new LinkedHashSet<>(); // not handed in yet

    AddressReplies(Publishing publishing, PeerLog log, int bytesMax) {
        this.publishing = publishing;
        this.connection = publishing.connection();
        this.log = log;
        this.bytesMax = bytesMax;
    }

    /**
     * Returns why no answer can go there; null if one can. Asked before a request is taken: its client would not hear
     * what it has done. The address must exist, since somebody is to wait for the answer there.
     */
    ErrorCondition refusal(NodeName to) {
        ErrorCondition forbidden = publishing.rights().refusal(Permission.SEND, to.name());
        if (forbidden != null || find(to) != null) {
            return forbidden;
        }
        return Conditions.of(
                AmqpError.NOT_FOUND,
                NO_ANSWER + " there is no " + to.kindInWords() + " '" + Printable.value(to.name())
                        + "' for the answer: make it before the request, or name another in reply-to");
    }

    private Address find(NodeName node) {
        Address address = publishing.shard().lookup().find(node.name());
        return address != null && node.matches(address) ? address : null;
    }

    ReplyWay to(NodeName node) {
        return new ReplyWay() {
            @Override
            public String to() {
                return node.name();
            }

            @Override
            public int bytesMax() {
                return bytesMax;
            }

            @Override
            public void send(byte[] reply, Runnable done) {
                AddressReplies.this.send(node, reply, done);
            }
        };
    }

    private void send(NodeName node, byte[] encoded, Runnable done) {
        String obstacle = obstacle(node);
        Address address = obstacle == null ? find(node) : null;
        if (obstacle == null && !address.quota().tryReserve(1, encoded.length)) {
            obstacle = "the address is full";
        }
        if (obstacle == null) {
            new AddressedReply(this, publishing, address, encoded, done).begin();
        } else {
            dropped(node.name(), obstacle);
            done.run();
        }
    }

    /** Looks again: the rules may be others since the request came, perhaps by that very request. */
    private String obstacle(NodeName node) {
        if (!connection.isRunning()) {
            return "its connection has ended";
        }
        ErrorCondition refusal = refusal(node);
        return refusal == null ? null : refusal.getDescription();
    }

    void dropped(String address, Object why) {
        log.info(NO_ANSWER + " {}: an answer of the management node for '{}' is dropped: {}", connection, address, why);
    }

    void waits(AddressedReply reply) {
        waiting.add(reply);
    }

    void waitsNoMore(AddressedReply reply) {
        waiting.remove(reply);
    }

    /** Drops what was not handed in: the connection is gone. */
    void lost() {
        List.copyOf(waiting).forEach(AddressedReply::lost);
    }
}
