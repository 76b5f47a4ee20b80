package io.ringtable.broker.shard;

import io.ringtable.broker.catalog.Subscription;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A subscription and what it owes, in the model. */
final class OwedModel {
    final long id;
    final long addressId;
    final String addressName;
    final String name;
    final int group;
    final TreeSet<Long> owed = new TreeSet<>();
    final Set<Long> settling = new HashSet<>(); // accepted, not known to be durable
    final Set<Long> removing = new HashSet<>(); // by an operator, not known to be durable
    final Set<Long> burying = new HashSet<>(); // on their way to the dead letters
    final Set<Long> delivered = new HashSet<>(); // ever
    final Set<Long> mayBeSeen = new HashSet<>(); // must be flagged when they come again
    final Set<Long> inFlight = new HashSet<>();
    final Map<Long, Integer> failures = new HashMap<>();
    long firstDelivered = -1;

    OwedModel(Subscription subscription) {
        this.id = subscription.id();
        this.addressId = subscription.address().id();
        this.addressName = subscription.address().name();
        this.name = subscription.name();
        this.group = subscription.group();
    }

    String letterMark() {
        return "|" + addressName + "/" + name;
    }

    @Override
    public String toString() {
        return addressName + "/" + name + "#" + id;
    }
}
