package io.ringtable.broker.shard;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.store.Flush.DispatchBound;
import io.ringtable.broker.work.CommitListener;
import io.ringtable.broker.work.Committed;
import io.ringtable.broker.work.Settle;
import java.util.List;

/** Two that hear what the committer says, one before the other. */
record InTurn(CommitListener first, CommitListener second) implements CommitListener {
    @Override
    public void committed(List<Committed> messages, List<DispatchBound> bounds, long epoch) {
        first.committed(messages, bounds, epoch);
        second.committed(messages, bounds, epoch);
    }

    @Override
    public void settledElsewhere(List<Settle> settlements) {
        first.settledElsewhere(settlements);
        second.settledElsewhere(settlements);
    }

    @Override
    public void gateRaised(long gate) {
        first.gateRaised(gate);
        second.gateRaised(gate);
    }

    @Override
    public void created(Address address) {
        first.created(address);
        second.created(address);
    }

    @Override
    public void deleted(Address address) {
        first.deleted(address);
        second.deleted(address);
    }

    @Override
    public void subscribed(Subscription subscription) {
        first.subscribed(subscription);
        second.subscribed(subscription);
    }

    @Override
    public void unsubscribed(Subscription subscription) {
        first.unsubscribed(subscription);
        second.unsubscribed(subscription);
    }

    @Override
    public void fencePassed(Subscription subscription) {
        first.fencePassed(subscription);
        second.fencePassed(subscription);
    }
}
