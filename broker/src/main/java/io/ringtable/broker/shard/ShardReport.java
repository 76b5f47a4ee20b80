package io.ringtable.broker.shard;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.RetainedMessages;
import io.ringtable.broker.commit.Committer;
import io.ringtable.broker.deduplication.Deduplicator;
import io.ringtable.broker.dispatch.Dispatcher;
import io.ringtable.broker.dispatch.redelivery.StuckAddress;
import io.ringtable.broker.dispatch.subscription.DispatchCounters;
import io.ringtable.broker.dispatch.subscription.ParkedSubscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ring.Ring;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.status.BrokerStatus;
import java.time.Instant;
import java.util.Comparator;

/** Says for people and metrics how a shard stands. Thread: any. */
record ShardReport(
        RingState state, Lease lease, Dispatcher dispatcher, Committer committer, Deduplicator deduplicator) {

    BrokerStatus.Shard now() {
        Ring ring = state.ring();
        DispatchCounters counters = dispatcher.counters();
        return new BrokerStatus.Shard(
                state.epoch(),
                lease.lateRenewals(),
                ring.geometry().capacity(),
                ring.gate(),
                ring.next(),
                ring.room(),
                state.backlogMessages(),
                counters.delivered(),
                counters.redelivered(),
                counters.deadLetters(),
                counters.expired(),
                counters.readBack(),
                counters.consumers(),
                dispatcher.memoryBytes(),
                dispatcher.unsettledBytes(),
                committer.entries().temporaries(),
                deduplicator.size(),
                dispatcher.parked().stream().map(ShardReport::parked).toList(),
                dispatcher.stuckAddresses().stream().map(ShardReport::stuck).toList(),
                committer.entries().entries().stream()
                        .map(ShardReport::address)
                        .sorted(Comparator.comparing(BrokerStatus.Address::name))
                        .toList());
    }

    private static BrokerStatus.Parked parked(ParkedSubscription parked) {
        return new BrokerStatus.Parked(
                parked.subscription().address().name(),
                parked.subscription().clientId(),
                parked.subscription().name(),
                parked.sequence(),
                parked.reason());
    }

    private static BrokerStatus.StuckAddress stuck(StuckAddress stuck) {
        return new BrokerStatus.StuckAddress(stuck.address(), stuck.messages(), stuck.reason());
    }

    private static BrokerStatus.Address address(AddressEntry entry) {
        Address address = entry.address();
        return new BrokerStatus.Address(
                address.name(),
                address.kind(),
                address.quota().messages(),
                address.quota().bytes(),
                address.quota().messagesMax(),
                address.quota().bytesMax(),
                retained(entry.retained()),
                entry.subscriptions().stream()
                        .map(subscription -> new BrokerStatus.Subscription(
                                subscription.subscription().clientId(),
                                subscription.subscription().name(),
                                subscription.owedInRing(),
                                subscription.owedInBacklog()))
                        .toList());
    }

    /** Describes what an address retains. @param kept null if the address retains nothing */
    private static BrokerStatus.Retained retained(RetainedMessages kept) {
        if (kept == null) {
            return null;
        }
        long oldestAt = kept.oldestAt();
        return new BrokerStatus.Retained(
                kept.messages(),
                kept.bytes(),
                oldestAt < 0 ? null : Instant.ofEpochMilli(oldestAt).toString());
    }
}
