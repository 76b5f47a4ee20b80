package io.ringtable.broker.dispatch.redelivery;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.overflow.StagerMailbox;
import io.ringtable.broker.work.CommitterDoors;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Settle;
import io.ringtable.broker.work.Work;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Moves a message that could not be delivered, or not in time, to another queue. Its copy and its settlement are one
 * work, so they become durable in one flush or not at all. A queue at its quota takes none, so the message stays in its
 * place.
 * <p>
 * Thread: dispatcher begins; the committer or the stager calls back with the outcome.
 */
public final class DeadLetters {
    private final CatalogMailbox catalog;
    private final CommitterMailbox committer;
    private final StagerMailbox stager;
    private final BodyIds bodyIds;
    private final MessageFormat format;
    private final LongSupplier clockMs;

    public DeadLetters(CommitterDoors doors, MessageFormat format, LongSupplier clockMs) {
        this.catalog = doors.catalog();
        this.committer = doors.committer();
        this.stager = doors.stager();
        this.bodyIds = doors.bodyIds();
        this.format = format;
        this.clockMs = clockMs;
    }

    /**
     * Moves a message.
     *
     * @param queue the other queue's name; the catalogue creates a missing one
     * @param settlement null for a volatile subscription, which owes nothing
     * @param outcome hears null once the move is durable, or why it failed
     */
    public void move(String queue, Delivery delivery, Settle settlement, String reason, Consumer<Refusal> outcome) {
        catalog.ensure(queue, AddressKind.QUEUE).whenComplete((address, refused) -> {
            if (refused != null) {
                outcome.accept(refusalOf(refused));
                return;
            }
            try {
                move(delivery, settlement, reason, address, outcome);
            } catch (RuntimeException failure) { // a future would swallow it, and the message with it
                outcome.accept(refusalOf(failure));
            }
        });
    }

    private static Refusal refusalOf(Throwable refused) {
        return refused instanceof Refusal.Refused known
                ? known.refusal()
                : new Refusal(Refusal.Reason.UNAVAILABLE, "RT-2201", refused.toString());
    }

    private void move(Delivery delivery, Settle settlement, String reason, Address address, Consumer<Refusal> outcome) {
        Message message = delivery.message();
        Subscription subscription = delivery.subscription();
        long now = clockMs.getAsLong();
        byte[] encoded = format.deadLetter(
                message.encoded(),
                subscription.address().name(),
                subscription.clientId(),
                subscription.name(),
                reason,
                delivery.failures(),
                now);
        if (!address.quota().tryReserve(1, encoded.length)) {
            outcome.accept(full(address, encoded.length));
            return;
        }
        if (encoded.length <= bodyIds.inlineBytesMax()) {
            submit(letter(message, address, encoded, now, 0), settlement, outcome);
            return;
        }
        long bodyId = bodyIds.nextBodyId();
        stager.stage(bodyId, encoded, refusal -> {
            if (refusal == null) {
                submit(letter(message, address, encoded, now, bodyId), settlement, outcome);
            } else {
                address.quota().release(1, encoded.length);
                outcome.accept(refusal);
            }
        });
    }

    private static Refusal full(Address address, int bytes) {
        AddressQuota quota = address.quota();
        return new Refusal(
                Refusal.Reason.LIMIT,
                "RT-2340",
                address + " has no room for a letter of " + bytes + " bytes: " + quota.messages() + " of "
                        + quota.messagesMax() + " messages, " + quota.bytes() + " of " + quota.bytesMax()
                        + " bytes: take messages from it or raise its quota");
    }

    /** Makes the letter, of the login and the trace of its message. The reason has moved the place of the trace. */
    private Message letter(Message message, Address address, byte[] encoded, long now, long bodyId) {
        int traceAt = message.traceAt() == 0 ? 0 : format.facts(encoded).traceAt();
        return new Message(
                address, now, message.priority(), 0, 0, encoded, bodyId, null, null, message.login(), traceAt);
    }

    private void submit(Message letter, Settle settlement, Consumer<Refusal> outcome) {
        Work work = new Work(List.of(letter), settlement == null ? List.of() : List.of(settlement), new Completion() {
            @Override
            public void accepted() {
                outcome.accept(null);
            }

            @Override
            public void refused(Refusal refusal) {
                outcome.accept(refusal);
            }

            @Override
            public Mailbox mailbox() {
                return Mailbox.NONE;
            }
        });
        trySubmit(work);
    }

    private void trySubmit(Work work) {
        if (!committer.trySubmit(work)) {
            committer.onRoom(() -> trySubmit(work));
        }
    }
}
