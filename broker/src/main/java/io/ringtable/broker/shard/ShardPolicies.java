package io.ringtable.broker.shard;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.StoredSettings;
import io.ringtable.broker.commit.Committer;
import io.ringtable.broker.dispatch.Dispatcher;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.setting.policy.RuntimePolicies;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes policies count in one shard: those of the configuration, and those that administrators have stored. Creates the
 * addresses that they name.
 * <p>
 * Thread: the starter of the shard, and then the committer.
 */
final class ShardPolicies {
    private static final Logger LOG = LoggerFactory.getLogger(ShardPolicies.class);

    private final CurrentPolicies current;
    private final RuntimePolicies stored;
    private final CatalogLookup lookup;
    private final CatalogMailbox catalog;
    private final Committer committer;
    private final Dispatcher dispatcher;
    private final Runnable onChange; // what the policies call after each change
    /** Hears that a queue which policies name is there. Written by the starter, read by committer. */
    private volatile Consumer<String> onQueue = any -> {};

    private AddressPolicies quotasFollow; // null = none yet; committer's

    /**
     * @param current those of all shards; the first one's {@link #apply} adds the stored ones
     * @param isFirst whether this is the first shard, in which administrators store policies
     */
    ShardPolicies(CurrentPolicies current, boolean isFirst, Committer committer, Dispatcher dispatcher) {
        this.current = current;
        this.onChange = isFirst ? this::limitQuotas : () -> committer.between(this::changedInFirst);
        this.stored = new RuntimePolicies(current);
        this.lookup = committer.doors().lookup();
        this.catalog = committer.doors().catalog();
        this.committer = committer;
        this.dispatcher = dispatcher;
    }

    /**
     * Makes the stored policies count from now on, also for the addresses and subscriptions that exist.
     *
     * @param settings tell of each change that an administrator makes later
     */
    void follow(StoredSettings settings) {
        current.onChange(onChange);
        apply();
        settings.listen(SettingKind.POLICY, this::changed);
    }

    /** Makes the policies of the first shard count, now and after each change. */
    void followFirst() {
        limitQuotas();
        dispatcher.policies(current.now());
        current.onChange(onChange);
    }

    /** Hears of no more changes. */
    void forget() {
        current.forget(onChange);
    }

    /**
     * Asks for the queues that the policies name, once the committer runs.
     *
     * @param itsOnQueue hears, on any thread, the name of each that is there
     */
    void createQueues(Consumer<String> itsOnQueue) {
        onQueue = itsOnQueue;
        reserveDestinations();
    }

    private void apply() {
        stored.apply(lookup.settings(SettingKind.POLICY));
        dispatcher.policies(current.now());
    }

    /**
     * Has the addresses follow what policies say of quotas, before any link hears that policies have changed. There may
     * be 100,000 addresses: a change looks at the names that it is about, and at none if no policy has a quota.
     */
    private void limitQuotas() {
        AddressPolicies before = quotasFollow;
        AddressPolicies now = current.now();
        quotasFollow = now;
        if (before == null && now.limitQuotas()) {
            committer.entries().limitQuotas(any -> true, now::quota);
        } else if (before != null && (before.limitQuotas() || now.limitQuotas())) {
            committer.entries().limitQuotas(now.differentFrom(before), now::quota);
        }
    }

    /** Hears of a policy that an administrator set or deleted. Thread: committer. */
    private void changed() {
        apply();
        committer.policiesChanged();
        reserveDestinations();
    }

    /** Hears that the first shard has other policies now. Thread: committer. */
    private void changedInFirst() {
        limitQuotas();
        dispatcher.policies(current.now());
        committer.policiesChanged();
        reserveDestinations();
    }

    private void reserveDestinations() {
        current.now().destinations().forEach(this::reserve);
    }

    /**
     * Creates a queue that policies need. A stored topic of the same name does not stop the start: messages for the
     * queue rest at their own address instead.
     */
    private void reserve(String name) {
        Address existing = lookup.find(name);
        if (existing == null) {
            DeclaredAddresses.declare(catalog, name, AddressKind.QUEUE).thenAccept(made -> onQueue.accept(name));
        } else if (existing.isQueue()) {
            onQueue.accept(name);
        } else {
            LOG.error(
                    "RT-2345 {} is stored, but policies move messages to a queue of that name: delete the topic, or"
                            + " name another queue in ringtable.dispatch. Until then the messages rest where they are",
                    existing);
        }
    }
}
