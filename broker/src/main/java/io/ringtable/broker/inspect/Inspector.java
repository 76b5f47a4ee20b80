package io.ringtable.broker.inspect;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.browse.VolatileMessages;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.dispatch.explain.Explainer;
import io.ringtable.broker.dispatch.explain.Owing;
import io.ringtable.broker.dispatch.explain.Why;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.redelivery.Removals;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.FlushLog;
import io.ringtable.broker.ring.Ring;
import io.ringtable.broker.store.MessageRow;
import io.ringtable.broker.store.RingReads;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.work.CommitterDoors;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Finds, shows and explains single messages of a shard for administrators, sends a copy of one, or removes it.
 * <p>
 * Thread: any; questions wait for each other on a thread of their own, {@code inspector}, which alone reads the store
 * and decodes. So they hold up neither the shard nor its consumers, and keep few messages in memory. Stages complete on
 * that thread or on one of the shard's, which must not be blocked.
 * <p>
 * Failure: stages fail with {@link Refusal.Refused}, or with what a permission throws that a caller hands in.
 */
public final class Inspector implements AutoCloseable {
    /** The most bytes of a body that are shown. */
    public static final int BODY_SHOWN_MAX = 64 * 1024;

    private final CommitterDoors doors;
    private final RingReads store;
    private final Explainer explainer;
    private final Removals removals;
    private final VolatileInspector inMemory;
    private final MessageFormat format;
    private final Selector.Compiler selectors;
    private final MessageCodec codec;
    private final MessageRows rows;
    private final FlushLog flushes;
    private final MessageSender sender;
    private final InspectorThread thread;

    /**
     * Makes an inspector with a thread of its own.
     *
     * @param doors of the shard whose messages it shows
     * @param node where it sends messages: their addresses may have other homes
     * @param clockMs ms since the epoch
     * @param threadName of the thread that reads for it
     */
    public Inspector(
            CommitterDoors doors,
            Supplier<Shard> node,
            RingReads store,
            Explainer explainer,
            Removals removals,
            VolatileMessages volatiles,
            Ring ring,
            FlushLog flushes,
            MessageFormat format,
            Selector.Compiler selectors,
            MessageCodec codec,
            LongSupplier clockMs,
            String threadName) {
        this.doors = doors;
        this.store = store;
        this.explainer = explainer;
        this.removals = removals;
        this.format = format;
        this.selectors = selectors;
        this.codec = codec;
        this.rows = new MessageRows(store, doors.lookup(), doors.logins(), ring);
        this.flushes = flushes;
        this.sender = new MessageSender(node, codec, format, clockMs);
        this.thread = new InspectorThread(threadName);
        this.inMemory = new VolatileInspector(volatiles, explainer, removals, codec, sender, thread);
    }

    /** Returns what does the same for messages that only memory has. */
    public VolatileInspector inMemory() {
        return inMemory;
    }

    // ---- finding

    /** Returns the selector of that text. @throws Refusal.Refused if it is none */
    public Selector selector(String text) {
        try {
            return selectors.compile(text);
        } catch (IllegalArgumentException e) {
            throw new Refusal.Refused(new Refusal(Refusal.Reason.INVALID, "RT-7205", e.getMessage()));
        }
    }

    /**
     * Lists messages that a subscription owes, wherever they lie and whoever has them; of a volatile one those that no
     * transaction holds.
     */
    public CompletionStage<MessagePage> browse(MessageQuery query) {
        if (!query.subscription().isStored()) {
            return inMemory.browse(query);
        }
        return InspectorThread.answered(run(() -> new MessageSearch(query, store, rows, codec).run())
                .thenCompose(page -> withFailures(query.subscription(), page)));
    }

    private CompletionStage<MessagePage> withFailures(Subscription subscription, MessagePage page) {
        List<Long> sequences =
                page.items().stream().map(MessageSummary::sequence).toList();
        return explainer.failures(subscription, sequences).thenApply(failures -> {
            List<MessageSummary> items = new ArrayList<>(page.items());
            items.replaceAll(item -> {
                Integer count = failures.get(item.sequence());
                return count == null ? item : item.failed(count);
            });
            return new MessagePage(items, page.next());
        });
    }

    // ---- showing

    /**
     * Shows one message decoded.
     *
     * @param permitted refuses the address of the message by throwing {@link RuntimeException}, before anything of the
     *     message is read into the answer
     */
    public CompletionStage<ShownMessage> show(long sequence, Consumer<Address> permitted) {
        return run(() -> {
            MessageRow row = rows.find(sequence);
            StoredMessage message = row.message();
            Address address = rows.addressOf(message);
            permitted.accept(address);
            byte[] encoded = rows.encoded(message);
            return ShownMessage.of(
                    rows.message(address, message, encoded),
                    sequence,
                    null,
                    message.bodyBytes(),
                    MessageRows.place(row.inRing()),
                    codec.decode(encoded, BODY_SHOWN_MAX));
        });
    }

    // ---- explaining

    /** Says in one sentence why the subscription is given nothing now; null if it is gone. */
    public CompletionStage<Why> why(Subscription subscription) {
        return InspectorThread.answered(explainer.why(subscription));
    }

    /** Tells the life of a message. @param permitted as in {@link #show} */
    public CompletionStage<MessageExplanation> explain(long sequence, Consumer<Address> permitted) {
        return InspectorThread.answered(
                run(() -> explained(sequence, permitted)).thenCompose(explained -> explained));
    }

    private CompletionStage<MessageExplanation> explained(long sequence, Consumer<Address> permitted) {
        MessageRow row = rows.find(sequence);
        StoredMessage message = row.message();
        Address address = rows.addressOf(message);
        permitted.accept(address);
        byte[] encoded = rows.encoded(message);
        LifeOfMessage life = new LifeOfMessage(
                row,
                address,
                doors.logins().of(message.loginId()),
                doors.lookup().subscriptionsOf(address),
                codec.decode(encoded, 0),
                rows.ring(),
                flushes.of(sequence));
        Ready ready = ready(address, message, encoded);
        CompletionStage<List<Owing>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Subscription subscription : life.owing()) {
            all = all.thenCombine(explainer.why(subscription, ready), (list, owing) -> {
                if (owing != null) { // else the subscription was deleted meanwhile
                    list.add(owing);
                }
                return list;
            });
        }
        return all.thenApply(life::with);
    }

    private Ready ready(Address address, StoredMessage row, byte[] encoded) {
        Message message =
                rows.message(address, row, encoded, format.facts(encoded).group());
        return new Ready(message, row.sequence(), row.group(), row.pending(), 0, false, null);
    }

    // ---- changing

    /** Publishes a new message. The stage ends when it is durable. @param by who writes it */
    public CompletionStage<Void> send(String to, MessageDraft draft, PublisherLogin by) {
        return InspectorThread.answered(run(() -> sender.send(to, draft, by)).thenCompose(sent -> sent));
    }

    /**
     * Publishes a copy of a message with parts replaced; the original stays. The stage ends when the copy is durable.
     *
     * @param to name of the address that gets the copy
     * @param by who writes the changes, and so publishes the copy
     * @param permitted as in {@link #show}, for the address of the original
     */
    public CompletionStage<Void> copy(
            long sequence, String to, MessageDraft changes, PublisherLogin by, Consumer<Address> permitted) {
        return InspectorThread.answered(run(() -> {
                    StoredMessage original = rows.find(sequence).message();
                    permitted.accept(rows.addressOf(original));
                    return sender.copy(rows.encoded(original), to, changes, by);
                })
                .thenCompose(sent -> sent));
    }

    /**
     * Settles a message for subscriptions that owe it. The message stays with a subscription whose consumer, or whose
     * transaction, has it. The stage ends when all is durable; it fails if the message stays with everybody.
     *
     * @param subscriptionId the only one to settle it for; null = all that owe it, except what a topic retains
     * @param permitted as in {@link #show}
     */
    public CompletionStage<RemovedMessage> remove(long sequence, Long subscriptionId, Consumer<Address> permitted) {
        return InspectorThread.answered(
                run(() -> removed(sequence, subscriptionId, permitted)).thenCompose(removed -> removed));
    }

    private CompletionStage<RemovedMessage> removed(long sequence, Long subscriptionId, Consumer<Address> permitted) {
        MessageRow row = rows.find(sequence);
        Address address = rows.addressOf(row.message());
        permitted.accept(address);
        Collection<Subscription> all = doors.lookup().subscriptionsOf(address);
        List<Subscription> owing = all.stream()
                .filter(each -> each.owes(sequence, row.message().group(), row.owed()) && !each.isRetention())
                .filter(each -> subscriptionId == null || each.id() == subscriptionId)
                .toList();
        if (owing.isEmpty()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-7203",
                    (subscriptionId == null ? "nobody" : "subscription " + subscriptionId + " does not") + " owe"
                            + (subscriptionId == null ? "s" : "") + " message " + sequence + " of " + address));
        }
        CompletionStage<List<Refusal>> refusals = CompletableFuture.completedFuture(new ArrayList<>());
        for (Subscription subscription : owing) {
            CompletableFuture<Refusal> outcome = new CompletableFuture<>();
            removals.remove(subscription, row, outcome::complete);
            refusals = refusals.thenCombine(outcome, (list, refusal) -> {
                if (refusal != null) {
                    list.add(refusal);
                }
                return list;
            });
        }
        return refusals.thenApply(kept -> {
            if (kept.size() == owing.size()) {
                throw new Refusal.Refused(kept.get(0));
            }
            return new RemovedMessage(
                    owing.size() - kept.size(),
                    kept.stream().map(Refusal::toString).toList());
        });
    }

    private <T> CompletionStage<T> run(Supplier<T> question) {
        return thread.run(question);
    }

    /** Ends the thread; questions that wait are refused. */
    @Override
    public void close() {
        thread.close();
    }
}
