package io.ringtable.broker.durability;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.RingWrites;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.SubscriptionRow;
import java.util.List;
import java.util.function.Predicate;

/**
 * Makes changes of the catalogue durable, each list in one transaction.
 * <p>
 * Thread: committer, between flushes.
 */
public final class CatalogWriter {
    private final RingState state;
    private final RingWrites store;
    private final Transactor transactor;
    private long written; // transactions, refused ones too

    public CatalogWriter(RingState state, RingWrites store, Transactor transactor) {
        this.state = state;
        this.store = store;
        this.transactor = transactor;
    }

    /**
     * @param ids how many ids the changes take
     * @param happened whether the tables say that they have been made
     */
    public void write(List<CatalogChange> changes, int ids, Predicate<ShardState> happened) {
        written++;
        transactor.run(
                () -> {
                    store.alter(state.epoch(), changes);
                    return true;
                },
                tables -> {
                    if (tables.gate() != state.gate() || tables.next() != state.next()) {
                        throw Transactor.elsewhere(state.ring().toString(), tables);
                    }
                    return happened.test(tables) ? true : null;
                });
        state.usedIds(ids);
    }

    /** The id that the next row of the catalogue gets. */
    public long nextId() {
        return state.nextId();
    }

    /** Transactions so far, refused ones too. */
    public long written() {
        return written;
    }

    /** Nobody reads a new subscription yet: what comes is not flagged as perhaps delivered. */
    public static CatalogChange subscribe(Subscription subscription) {
        long unattended = Math.max(0, subscription.fromSequence() - 1);
        return new CatalogChange.Subscribe(new SubscriptionRow(
                subscription.id(),
                subscription.address().id(),
                subscription.clientId(),
                subscription.name(),
                subscription.group(),
                subscription.bit(),
                subscription.fromSequence(),
                unattended,
                subscription.selector() == null ? null : subscription.selector().text(),
                subscription.noLocal(),
                subscription.shared()));
    }

    public static boolean hasSubscription(ShardState tables, Subscription subscription) {
        return tables.subscriptions().stream().anyMatch(row -> row.subscriptionId() == subscription.id());
    }
}
