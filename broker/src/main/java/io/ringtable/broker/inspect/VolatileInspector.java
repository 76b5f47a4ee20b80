package io.ringtable.broker.inspect;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.browse.VolatileMessages;
import io.ringtable.broker.dispatch.browse.VolatileOwed;
import io.ringtable.broker.dispatch.browse.VolatilePage;
import io.ringtable.broker.dispatch.explain.Explainer;
import io.ringtable.broker.dispatch.explain.Owing;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.redelivery.Removals;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.message.Refusal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Does for messages that only memory has what {@link Inspector} does for stored ones: those of temporary queues and of
 * subscriptions that are not durable. A volatile subscription numbers its messages by itself, so its id and that number
 * name one. A message that a transaction holds is not found.
 * <p>
 * Thread: any; stages complete on the inspector's or on one of the shard's, which must not be blocked. Failure: as that
 * of {@link Inspector}.
 */
public final class VolatileInspector {
    private final VolatileMessages volatiles;
    private final Explainer explainer;
    private final Removals removals;
    private final MessageCodec codec;
    private final MessageSender sender;
    private final InspectorThread thread;

    VolatileInspector(
            VolatileMessages volatiles,
            Explainer explainer,
            Removals removals,
            MessageCodec codec,
            MessageSender sender,
            InspectorThread thread) {
        this.volatiles = volatiles;
        this.explainer = explainer;
        this.removals = removals;
        this.codec = codec;
        this.sender = sender;
        this.thread = thread;
    }

    /** Lists volatile subscriptions, as {@link VolatileMessages#list} does. */
    public CompletionStage<VolatilePage> subscriptions(Predicate<Subscription> wanted, long after, int max) {
        return InspectorThread.answered(volatiles.list(wanted, after, max));
    }

    /** Finds a volatile subscription. The stage fails if there is none of that id. */
    public CompletionStage<Subscription> subscription(long id) {
        return InspectorThread.answered(owedBy(id).thenApply(VolatileOwed::subscription));
    }

    CompletionStage<MessagePage> browse(MessageQuery query) {
        return InspectorThread.answered(owedBy(query.subscription().id())
                .thenCompose(owed -> thread.run(() -> new VolatileSearch(query, owed, codec).run())));
    }

    /**
     * Shows one message decoded.
     *
     * @param number that the subscription gave the message
     * @param permitted as of {@link Inspector#show}
     */
    public CompletionStage<ShownMessage> show(long subscriptionId, long number, Consumer<Address> permitted) {
        return InspectorThread.answered(owedBy(subscriptionId)
                .thenCompose(owed -> thread.run(() -> {
                    Ready ready = found(owed, number, permitted);
                    return ShownMessage.of(
                            ready.message(),
                            number,
                            subscriptionId,
                            ready.message().bytes(),
                            VolatileSearch.PLACE,
                            codec.decode(ready.message().encoded(), Inspector.BODY_SHOWN_MAX));
                })));
    }

    /** Tells what is known of a message. The parameters are those of {@link #show}. */
    public CompletionStage<MessageExplanation> explain(long subscriptionId, long number, Consumer<Address> permitted) {
        return InspectorThread.answered(owedBy(subscriptionId)
                .thenCompose(owed -> thread.run(() -> found(owed, number, permitted))
                        .thenCompose(ready -> explainer
                                .why(owed.subscription(), ready)
                                .thenCompose(owing -> thread.run(() -> explained(subscriptionId, ready, owing))))));
    }

    private MessageExplanation explained(long subscriptionId, Ready ready, Owing owing) {
        if (owing == null) {
            throw gone(subscriptionId);
        }
        return LifeOfMessage.inMemory(ready, codec.decode(ready.message().encoded(), 0), owing);
    }

    /**
     * Publishes a copy with parts replaced; the original stays. The stage ends when the copy is durable.
     *
     * @param to name of the address that gets the copy
     * @param by who writes the changes, and so publishes the copy
     */
    public CompletionStage<Void> copy(
            long subscriptionId,
            long number,
            String to,
            MessageDraft changes,
            PublisherLogin by,
            Consumer<Address> permitted) {
        return InspectorThread.answered(owedBy(subscriptionId)
                .thenCompose(owed -> thread.run(() ->
                        sender.copy(found(owed, number, permitted).message().encoded(), to, changes, by)))
                .thenCompose(sent -> sent));
    }

    /** Drops a message, unless a consumer has it. The parameters are those of {@link #show}. */
    public CompletionStage<RemovedMessage> remove(long subscriptionId, long number, Consumer<Address> permitted) {
        return InspectorThread.answered(owedBy(subscriptionId)
                .thenCompose(owed -> thread.run(() -> found(owed, number, permitted))
                        .thenCompose(waits -> removed(owed.subscription(), number))));
    }

    private CompletionStage<RemovedMessage> removed(Subscription subscription, long number) {
        CompletableFuture<Refusal> outcome = new CompletableFuture<>();
        removals.removeVolatile(subscription, number, outcome::complete);
        return outcome.thenApply(refusal -> {
            if (refusal != null) {
                throw new Refusal.Refused(refusal);
            }
            return new RemovedMessage(1, List.of());
        });
    }

    private CompletionStage<VolatileOwed> owedBy(long subscriptionId) {
        return volatiles.owedBy(subscriptionId).thenApply(owed -> {
            if (owed == null) {
                throw gone(subscriptionId);
            }
            return owed;
        });
    }

    private static Refusal.Refused gone(long subscriptionId) {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.NOT_FOUND,
                "RT-4400",
                "there is no subscription " + subscriptionId
                        + " in memory: GET /subscriptions?volatile=true lists those that there are"));
    }

    /** @param permitted is asked before anything of the message is looked at */
    private static Ready found(VolatileOwed owed, long number, Consumer<Address> permitted) {
        permitted.accept(owed.subscription().address());
        Ready ready = owed.find(number);
        if (ready == null) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-4402",
                    owed.subscription() + " owes no message " + number
                            + ": it was settled, or a transaction holds it"));
        }
        return ready;
    }
}
