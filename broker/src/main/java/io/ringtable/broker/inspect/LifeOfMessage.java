package io.ringtable.broker.inspect;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.explain.Owing;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.ring.FlushLog;
import io.ringtable.broker.ring.Ring;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.MessageRow;
import io.ringtable.broker.store.StoredMessage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Puts together what row, catalogue and ring say of one message. Thread: any; immutable. */
final class LifeOfMessage {
    private static final double NANOS_OF_MS = 1_000_000;

    private final MessageRow row;
    private final Address address;
    private final PublisherLogin login;
    private final Collection<Subscription> subscriptions;
    private final DecodedMessage decoded;
    private final Ring ring;
    private final FlushLog.Flushed flushed;

    /** @param flushed null if it is not remembered */
    LifeOfMessage(
            MessageRow row,
            Address address,
            PublisherLogin login,
            Collection<Subscription> subscriptions,
            DecodedMessage decoded,
            Ring ring,
            FlushLog.Flushed flushed) {
        this.row = row;
        this.address = address;
        this.login = login;
        this.subscriptions = List.copyOf(subscriptions);
        this.decoded = decoded;
        this.ring = ring;
        this.flushed = flushed;
    }

    /** Returns the subscriptions that owe the message by the tables. */
    List<Subscription> owing() {
        StoredMessage message = row.message();
        return subscriptions.stream()
                .filter(each -> each.owes(message.sequence(), message.group(), row.owed()))
                .toList();
    }

    MessageExplanation with(List<Owing> owing) {
        StoredMessage message = row.message();
        RingGeometry geometry = ring.geometry();
        List<MessageExplanation.Reader> owedBy = readers(message.pending());
        return new MessageExplanation(
                message.sequence(),
                null,
                null,
                address.name(),
                MessageRows.place(row.inRing()),
                message.sequence() % geometry.capacity(),
                message.sequence() / geometry.capacity(),
                ring.gate(),
                ring.next(),
                flush(),
                MessageRows.time(message.publishedAt()),
                login.user(),
                login.text(),
                claim(decoded, login),
                MessageRows.time(message.expiresAt()),
                MessageRows.time(message.deliverAt()),
                message.priority(),
                message.bodyBytes(),
                message.bodyId() == 0 ? "row" : "overflow",
                decoded.text("messageId"),
                decoded.text("groupId"),
                trace(decoded),
                owedBy,
                readers(message.pending() & ~row.owed()),
                owing.stream().map(LifeOfMessage::debt).toList());
    }

    private MessageExplanation.Flushed flush() {
        return flushed == null
                ? null
                : new MessageExplanation.Flushed(
                        flushed.first(),
                        flushed.last(),
                        MessageRows.time(flushed.durableAt()),
                        flushed.nanos() / NANOS_OF_MS);
    }

    /** Tells the life of a message that only memory has. */
    static MessageExplanation inMemory(Ready ready, DecodedMessage decoded, Owing owing) {
        Message message = ready.message();
        Subscription subscription = owing.subscription();
        return new MessageExplanation(
                ready.sequence(),
                null,
                subscription.id(),
                message.address().name(),
                VolatileSearch.PLACE,
                null,
                null,
                null,
                null,
                null,
                MessageRows.time(message.publishedAt()),
                message.login().user(),
                message.login().text(),
                claim(decoded, message.login()),
                MessageRows.time(message.expiresAt()),
                MessageRows.time(message.deliverAt()),
                message.priority(),
                message.bytes(),
                VolatileSearch.PLACE,
                decoded.text("messageId"),
                decoded.text("groupId"),
                trace(decoded),
                List.of(new MessageExplanation.Reader(subscription.id(), subscription.toString())),
                List.of(),
                List.of(debt(owing)));
    }

    /** Returns what the client wrote as user-id and is not the name of its login; null if there is no such claim. */
    private static String claim(DecodedMessage decoded, PublisherLogin login) {
        String claim = decoded.text("userId");
        return claim == null || claim.equals(login.user()) ? null : "user-id says " + Printable.value(claim);
    }

    private static String trace(DecodedMessage decoded) {
        Object trace = decoded.applicationProperties().get("traceparent");
        return trace == null ? decoded.text("traceparent") : trace.toString();
    }

    private List<MessageExplanation.Reader> readers(long bits) {
        List<MessageExplanation.Reader> readers = new ArrayList<>();
        for (long left = bits; left != 0; left &= left - 1) {
            int bit = Long.numberOfTrailingZeros(left);
            readers.add(subscriptions.stream()
                    .filter(each ->
                            each.owes(row.message().sequence(), row.message().group(), 1L << bit))
                    .map(each -> new MessageExplanation.Reader(each.id(), each.toString()))
                    .findFirst()
                    .orElse(new MessageExplanation.Reader(null, "a subscription that was deleted")));
        }
        return readers;
    }

    private static MessageExplanation.Debt debt(Owing owing) {
        return new MessageExplanation.Debt(
                owing.subscription().id(),
                owing.subscription().toString(),
                owing.why().reason(),
                owing.why().text(),
                owing.why().cure(),
                MessageRows.time(owing.why().until()),
                owing.failures(),
                owing.heldBy().isEmpty() ? null : owing.heldBy());
    }
}
