package io.ringtable.broker.catalog.change;

import io.ringtable.broker.catalog.AddressCreation;
import java.util.Objects;

/**
 * Bounds of the catalogue.
 *
 * @param quotaMessages most messages owed on an address that is created without a quota of its own; at least 1
 * @param quotaBytes most bytes owed on such an address; at least 1
 * @param addressesMax most addresses in a shard; at least 1
 * @param temporaryAddressesMax most temporary addresses in a shard; 1 to 1,000,000
 * @param creation which addresses are created when first named
 */
public record CatalogSettings(
        long quotaMessages, long quotaBytes, int addressesMax, int temporaryAddressesMax, AddressCreation creation) {

    public static final CatalogSettings DEFAULTS =
            new CatalogSettings(2_000_000, 8L << 30, 100_000, 10_000, AddressCreation.ANY);

    public CatalogSettings {
        between("commit.quota-messages", quotaMessages, Long.MAX_VALUE);
        between("commit.quota-bytes", quotaBytes, Long.MAX_VALUE);
        between("commit.addresses-max", addressesMax, Integer.MAX_VALUE);
        between("commit.temporary-addresses-max", temporaryAddressesMax, 1_000_000);
        Objects.requireNonNull(creation, "creation");
    }

    private static void between(String name, long value, long most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException("RT-1004 " + name + "=" + value + " must be between 1 and " + most);
        }
    }
}
