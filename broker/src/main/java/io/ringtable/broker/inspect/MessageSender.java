package io.ringtable.broker.inspect;

import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.PartKey;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Publishes what an operator writes, as any publisher: within the address's quota, and answered when it is durable.
 * <p>
 * Thread: inspector, which encodes; stages complete on the committer's or the stager's thread. Failure: they fail with
 * {@link Refusal.Refused} if the message is not stored.
 */
final class MessageSender {
    private final Supplier<Shard> node;
    private final MessageCodec codec;
    private final MessageFormat format;
    private final LongSupplier clockMs;

    /** Writes a message for an address; ids and bound are as {@link MessageCodec} has them. */
    @FunctionalInterface
    private interface Writing {
        Message to(Address address, LongSupplier bodyIds, int inlineBytesMax);
    }

    /**
     * @param node where it sends: addresses may have several homes, and several parts
     * @param clockMs ms since the epoch
     */
    MessageSender(Supplier<Shard> node, MessageCodec codec, MessageFormat format, LongSupplier clockMs) {
        this.node = node;
        this.codec = codec;
        this.format = format;
        this.clockMs = clockMs;
    }

    /** Publishes a new message. @param to name of the address that gets it; @param by who writes it */
    CompletableFuture<Void> send(String to, MessageDraft draft, PublisherLogin by) {
        long now = clockMs.getAsLong();
        return send(
                written(to, (address, bodyIds, inlineMax) -> codec.write(draft, address, by, now, bodyIds, inlineMax)));
    }

    /** Publishes a copy with parts replaced. @param encoded the original; @param by who writes the changes */
    CompletableFuture<Void> copy(byte[] encoded, String to, MessageDraft changes, PublisherLogin by) {
        long now = clockMs.getAsLong();
        return send(written(
                to,
                (address, bodyIds, inlineMax) -> codec.copy(encoded, changes, address, by, now, bodyIds, inlineMax)));
    }

    /**
     * Writes a message for the address, or for that part of it which gets its key. Without a key it is the first part
     * that is there.
     */
    private Message written(String to, Writing writing) {
        Address address = address(to);
        Parts parts = node.get().partsOf(address);
        if (parts != null) {
            Message draft = writing.to(address, () -> 0, Integer.MAX_VALUE); // no body is too large for it
            String key = format.orderKey(draft.encoded());
            address = key == null ? node.get().partFor(address, true) : parts.of(PartKey.of(key));
        }
        BodyIds bodies = node.get().homeOf(address).bodyIds();
        return writing.to(address, bodies::nextBodyId, bodies.inlineBytesMax());
    }

    private Address address(String name) {
        Address address = node.get().lookup().find(name);
        if (address == null) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND, "RT-7207", "there is no address '" + name + "': create it first"));
        }
        return address;
    }

    private CompletableFuture<Void> send(Message message) {
        Address address = message.address();
        if (!address.quota().tryReserve(1, message.bytes())) {
            return CompletableFuture.failedFuture(new Refusal.Refused(full(address, message.bytes())));
        }
        CompletableFuture<Void> sent = new CompletableFuture<>();
        if (message.bodyId() == 0) {
            submit(message, sent);
        } else {
            node.get().homeOf(address).stager().stage(message.bodyId(), message.encoded(), refusal -> {
                if (refusal == null) {
                    submit(message, sent);
                } else {
                    address.quota().release(1, message.bytes());
                    sent.completeExceptionally(new Refusal.Refused(refusal));
                }
            });
        }
        return sent;
    }

    private static Refusal full(Address address, int bytes) {
        AddressQuota quota = address.quota();
        return new Refusal(
                Refusal.Reason.LIMIT,
                "RT-7223",
                address + " has no room for a message of " + bytes + " bytes: " + quota.messages() + " of "
                        + quota.messagesMax() + " messages, " + quota.bytes() + " of " + quota.bytesMax()
                        + " bytes: take messages from it or raise its quota");
    }

    private void submit(Message message, CompletableFuture<Void> sent) {
        trySubmit(node.get().homeOf(message.address()).committer(), Work.publish(message, new Completion() {
            @Override
            public void accepted() {
                sent.complete(null);
            }

            @Override
            public void refused(Refusal refusal) {
                sent.completeExceptionally(new Refusal.Refused(refusal));
            }

            @Override
            public Mailbox mailbox() {
                return Mailbox.NONE;
            }
        }));
    }

    private static void trySubmit(CommitterMailbox committer, Work work) {
        if (!committer.trySubmit(work)) {
            committer.onRoom(() -> trySubmit(committer, work));
        }
    }
}
