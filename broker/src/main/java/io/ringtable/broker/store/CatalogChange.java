package io.ringtable.broker.store;

import io.ringtable.broker.message.AddressKind;

/** A durable change of the catalogue. Ids are given by the committer and never reused in their shard. */
public sealed interface CatalogChange {

    /**
     * @param quotaMessages most messages owed on it
     * @param quotaBytes most bytes owed on it
     */
    record CreateAddress(long addressId, String name, AddressKind kind, long quotaMessages, long quotaBytes)
            implements CatalogChange {}

    /**
     * Removes the address with its subscriptions, its producers and the ids that are kept of its messages; these are owed by nobody
     * from then on.
     */
    record DeleteAddress(long addressId) implements CatalogChange {}

    record Subscribe(SubscriptionRow subscription) implements CatalogChange {}

    record Unsubscribe(long subscriptionId) implements CatalogChange {}

    /** Everything below {@code fromSequence} is no longer owed by it: how a queue is purged. */
    record Purge(long subscriptionId, long fromSequence) implements CatalogChange {}

    /**
     * The client id belongs to that user from now on, whoever had it. Made alone: a list has no other change.
     *
     * @param owner name of the user; null = nobody's from now on
     */
    record OwnClient(String clientId, String owner) implements CatalogChange {}

    record CreateProducer(ProducerRow producer) implements CatalogChange {}

    /** An application opens it anew. @param openedAt ms since the epoch */
    record ReopenProducer(long producerId, long incarnation, long openedAt) implements CatalogChange {}

    /** What it has stored is no longer known; whoever opens one of its name begins with number 1. */
    record ForgetProducer(long producerId) implements CatalogChange {}
}
