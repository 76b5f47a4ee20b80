package io.ringtable.broker.shard;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Mailbox;
import java.util.ArrayList;
import java.util.List;

/** A link that receives. */
final class Reader implements Consumer {
    private final SteppedShard shard;
    final Subscription subscription;
    private final Selector selector;
    final List<Delivery> deliveries = new ArrayList<>();
    final List<Delivery> unsettled = new ArrayList<>();
    final List<Long> drained = new ArrayList<>();
    int recalls; // that were answered
    Refusal ended;
    Mailbox connection = Mailbox.NONE; // before it is attached
    DispatcherMailbox through; // null = the shard's own
    private long limit;

    Reader(SteppedShard shard, Subscription subscription, Selector selector) {
        this.shard = shard;
        this.subscription = subscription;
        this.selector = selector;
    }

    private DispatcherMailbox dispatcher() {
        return through == null ? shard.dispatcher.mailbox() : through;
    }

    @Override
    public Selector selector() {
        return selector;
    }

    Reader credit(long more) {
        limit += more;
        dispatcher().credit(this, limit, false);
        return this;
    }

    void recall() {
        dispatcher().recall(this);
    }

    @Override
    public void recalled() {
        recalls++;
        limit = deliveries.size();
    }

    Reader drain() {
        dispatcher().credit(this, limit, true);
        return this;
    }

    @Override
    public void deliver(Delivery delivery) {
        deliveries.add(delivery);
        unsettled.add(delivery);
    }

    @Override
    public void drained(long atLimit) {
        drained.add(atLimit);
    }

    @Override
    public void ended(Refusal refusal) {
        ended = refusal;
    }

    @Override
    public Mailbox mailbox() {
        return connection;
    }

    Outcome accept(Delivery delivery) {
        unsettled.remove(delivery);
        Outcome outcome = new Outcome();
        dispatcher().accepted(this, delivery, outcome);
        return outcome;
    }

    void acceptAll() {
        List.copyOf(unsettled).forEach(this::accept);
    }

    void release(Delivery delivery) {
        unsettled.remove(delivery);
        dispatcher().released(this, delivery);
    }

    void modify(Delivery delivery, boolean failed, boolean notHere) {
        unsettled.remove(delivery);
        dispatcher().modified(this, delivery, failed, notHere);
    }

    void reject(Delivery delivery, String reason) {
        unsettled.remove(delivery);
        dispatcher().rejected(this, delivery, reason);
    }

    void detach(boolean lost) {
        dispatcher().detach(this, List.copyOf(unsettled), lost);
        unsettled.clear();
    }

    List<String> texts() {
        return deliveries.stream().map(SteppedShard::text).toList();
    }
}
