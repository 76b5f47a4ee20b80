package io.ringtable.broker.retention;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.RetainedMessages;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.CatalogChange;
import java.util.List;

/**
 * Opens and closes the built-in subscriptions that owe what topics keep.
 * <p>
 * Thread: committer, between flushes.
 */
public final class RetentionSubscriptions {
    private final RingState state;
    private final Catalog catalog;
    private final CatalogWriter writer;

    public RetentionSubscriptions(RingState state, CatalogWriter writer) {
        this.state = state;
        this.catalog = state.catalog();
        this.writer = writer;
    }

    /** From now on the topic keeps its messages. */
    public void keep(AddressEntry topic) {
        int group = topic.freeGroup();
        Subscription keeper =
                Subscription.retention(writer.nextId(), topic.address(), group, topic.freeBit(group), state.next());
        writer.write(
                List.of(CatalogWriter.subscribe(keeper)), 1, tables -> CatalogWriter.hasSubscription(tables, keeper));
        opened(keeper);
    }

    /** It is durable. The dispatcher need not know it: nobody reads it. */
    public RetainedMessages opened(Subscription keeper) {
        state.keepTimes();
        catalog.add(keeper, null);
        return catalog.entry(keeper.address().id()).retained();
    }

    /** Its policy is gone, and nobody is to get any more of what is kept. */
    void keepNoLonger(RetainedMessages kept) {
        Subscription keeper = kept.subscription();
        writer.write(
                List.of(new CatalogChange.Unsubscribe(keeper.id())),
                0,
                tables -> !CatalogWriter.hasSubscription(tables, keeper));
        state.forget(keeper);
        catalog.remove(keeper);
    }
}
