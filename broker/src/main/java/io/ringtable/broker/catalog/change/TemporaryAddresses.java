package io.ringtable.broker.catalog.change;

import io.ringtable.broker.catalog.AddressCreation;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.OwnerShares;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.deduplication.Deduplicator;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.CommitListener;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Creates and deletes temporary addresses, which live in memory only.
 * <p>
 * Thread: committer.
 */
public final class TemporaryAddresses {
    private final Catalog catalog;
    private final Deduplicator deduplicator;
    private final CommitListener listener;
    private final CommitProperties settings;
    private final AddressCreation creation;
    private final OwnerShares shares = new OwnerShares();
    private final Map<Address, String> owners = new HashMap<>();

    public TemporaryAddresses(
            Catalog catalog,
            Deduplicator deduplicator,
            CommitListener listener,
            CommitProperties settings,
            AddressCreation creation) {
        this.catalog = catalog;
        this.deduplicator = deduplicator;
        this.listener = listener;
        this.settings = settings;
        this.creation = creation;
    }

    /** @param owner the user or host whose share it counts against; null = none */
    public Address create(AddressKind kind, String owner) {
        if (catalog.temporaries() >= settings.temporaryAddressesMax()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.LIMIT,
                    "RT-2020",
                    "the shard has " + catalog.temporaries()
                            + " temporary addresses and ringtable.commit.temporary-addresses-max="
                            + settings.temporaryAddressesMax() + ": raise it or delete some"));
        }
        int share = OwnerShares.shareOf(settings.temporaryAddressesMax());
        if (shares.of(owner) >= share) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.LIMIT,
                    "RT-2320",
                    owner + " has " + share + " temporary addresses, half of ringtable.commit.temporary-addresses-max="
                            + settings.temporaryAddressesMax() + ": delete some or raise it"));
        }
        Address address = new Address(
                catalog.nextVolatileId(),
                Address.temporaryName(catalog.shard(), UUID.randomUUID().toString()),
                kind,
                new AddressQuota(settings.quotaMessages(), settings.quotaBytes().toBytes()));
        address.quota().limit(creation.quota(address.name()));
        listener.created(address);
        Subscription reader = null;
        if (kind == AddressKind.QUEUE) {
            reader = Subscription.inMemory(catalog.nextVolatileId(), address, "", "", null, false, true);
            listener.subscribed(reader);
        }
        catalog.addTemporary(address, reader);
        if (owner != null) {
            shares.took(owner);
            owners.put(address, owner);
        }
        return address;
    }

    public Void delete(Address temporary) {
        if (!temporary.isTemporary()) {
            throw new IllegalArgumentException(temporary + " is stored");
        }
        if (catalog.removeTemporary(temporary)) {
            shares.gaveBack(owners.remove(temporary));
            deduplicator.forget(temporary);
            listener.deleted(temporary);
        }
        return null;
    }
}
