package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.encoding.MessageFacts;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.wire.MalformedMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Makes messages from the bytes of a publication. Thread: the connection's event loop. */
final class MessageBuilder {
    private final OpenConnection connection;
    private final MessageFacts facts;
    private final DuplicateId.Owner owner; // null without users
    private final PublisherLogin login;

    MessageBuilder(Publishing publishing) {
        this.connection = publishing.connection();
        this.facts = publishing.facts();
        this.owner = DuplicateId.Owner.of(connection.user());
        this.login = PublisherLogin.of(connection.user());
    }

    /**
     * Reads the messages of a publication and addresses them.
     *
     * @param bodyIds of the address's home
     * @param byMessageId whether the broker stores them once by their message ids
     * @throws MalformedMessage if one of them is not a message
     */
    void build(Publication publication, Address to, BodyIds bodyIds, boolean byMessageId) throws MalformedMessage {
        List<byte[]> encoded = publication.encoded();
        List<Message> built = new ArrayList<>(encoded.size());
        List<DuplicateId> ids = List.of();
        for (byte[] body : encoded) {
            facts.read(body, 0, body.length);
            built.add(message(to, bodyIds, publication, body));
            DuplicateId id = duplicateId(body, byMessageId);
            if (id != null) {
                if (ids.isEmpty()) {
                    ids = new ArrayList<>(Collections.nCopies(encoded.size(), null));
                }
                ids.set(built.size() - 1, id);
            }
        }
        publication.built(to, built, ids);
    }

    /** Builds a single message whose facts have just been read. */
    void buildRead(Publication publication, Address to, BodyIds bodyIds, boolean byMessageId) throws MalformedMessage {
        byte[] body = publication.encoded().get(0);
        DuplicateId id = duplicateId(body, byMessageId);
        Message message = message(to, bodyIds, publication, body);
        publication.built(to, List.of(message), id == null ? List.of() : List.of(id));
    }

    /** Returns the id for deduplication; null = the broker stores the message each time that it comes. */
    private DuplicateId duplicateId(byte[] body, boolean byMessageId) throws MalformedMessage {
        DuplicateId id = byMessageId ? facts.duplicateIdOrMessageId(body) : facts.duplicateId();
        return id == null ? null : id.ownedBy(owner);
    }

    private Message message(Address to, BodyIds bodyIds, Publication publication, byte[] body) throws MalformedMessage {
        facts.checkGroup();
        long publishedAt = publication.publishedAt();
        long bodyId = bodyIds.idFor(body);
        Message message = new Message(
                to,
                publishedAt,
                facts.priority(),
                facts.expiresAt(publishedAt),
                facts.deliveryTime(),
                body,
                bodyId,
                facts.group(),
                connection.containerId(),
                login,
                facts.traceAt());
        publication.traced(message);
        return message;
    }
}
