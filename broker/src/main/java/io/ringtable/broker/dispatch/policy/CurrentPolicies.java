package io.ringtable.broker.dispatch.policy;

import io.ringtable.broker.catalog.AddressCreation;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.QuotaLimits;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Holds the policies that count now, and tells when others do. They outlive the shard that stores some of them.
 * <p>
 * Thread: the committer of the first shard replaces them; before it starts, the starter of that shard. Any asks.
 */
public final class CurrentPolicies implements AddressCreation {
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile AddressPolicies now; // written by committer, read by any

    public CurrentPolicies(AddressPolicies configured) {
        this.now = configured;
    }

    public AddressPolicies now() {
        return now;
    }

    public AddressPolicy of(String name) {
        return now.of(name);
    }

    /** Returns how much of a topic is kept, by its name. */
    public Retention retention(String topic) {
        return now.retention(topic);
    }

    @Override
    public AddressKind kindOf(String name, AddressKind wanted) {
        return now.kindOf(name, wanted);
    }

    @Override
    public void check(String name, AddressKind kind) {
        now.check(name, kind);
    }

    @Override
    public QuotaLimits quota(String name) {
        return now.quota(name);
    }

    /** Replaces all runtime rules. The listeners run on the caller's thread before this returns. */
    public void replace(Collection<AddressPolicies.RuntimeRule> others) {
        now = now.with(others);
        listeners.forEach(Runnable::run);
    }

    /** Lets a listener hear of every change, until {@link #forget}. */
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    public void forget(Runnable listener) {
        listeners.remove(listener);
    }
}
