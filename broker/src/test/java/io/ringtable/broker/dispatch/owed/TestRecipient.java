package io.ringtable.broker.dispatch.owed;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Mailbox;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** A consumer of one subscription that wants what the test says, and never settles. */
final class TestRecipient implements Recipient, Consumer {
    private final OwedSet owed;
    private final Predicate<Message> wanted;
    private final List<Delivery> unsettled = new ArrayList<>();
    private int credit;

    TestRecipient(OwedSet owed, Predicate<Message> wanted) {
        this.owed = owed;
        this.wanted = wanted;
    }

    void credit(int messages) {
        credit = messages;
    }

    @Override
    public boolean mayHave(Ready ready, Slice slice) {
        slice.step();
        return ready.notHere() != this && owed.groupAllows(this, ready) && wanted.test(ready.message());
    }

    @Override
    public boolean hasCredit() {
        return unsettled.size() < credit;
    }

    @Override
    public List<Delivery> unsettled() {
        return unsettled;
    }

    @Override
    public Selector selector() {
        return null;
    }

    @Override
    public void deliver(Delivery delivery) {
        unsettled.add(delivery);
    }

    @Override
    public void drained(long limit) {}

    @Override
    public void ended(Refusal refusal) {}

    @Override
    public Mailbox mailbox() {
        return Mailbox.NONE;
    }
}
