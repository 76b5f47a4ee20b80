package io.ringtable.broker.durability;

import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState;
import java.util.List;
import java.util.function.Predicate;

/**
 * Makes changes of the catalogue durable, each list in one transaction.
 * <p>
 * Thread: committer, between flushes.
 */
public final class CatalogWriter {
    private final RingState state;
    private final RingStore store;
    private final Transactor transactor;
    private long made; // transactions, refused ones too

    public CatalogWriter(RingState state, RingStore store, Transactor transactor) {
        this.state = state;
        this.store = store;
        this.transactor = transactor;
    }

    /**
     * @param ids how many ids the changes take
     * @param happened whether the tables say that they have been made
     */
    public void make(List<CatalogChange> changes, int ids, Predicate<ShardState> happened) {
        made++;
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

    /** Transactions so far, refused ones too. */
    public long made() {
        return made;
    }
}
