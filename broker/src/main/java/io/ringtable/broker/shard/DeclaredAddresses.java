package io.ringtable.broker.shard;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the addresses that the configuration declares. Thread: any. */
final class DeclaredAddresses {
    private static final Logger LOG = LoggerFactory.getLogger(DeclaredAddresses.class);

    private DeclaredAddresses() {}

    /** Refuses a declaration that contradicts what is stored, before anybody is served. */
    static void check(CatalogLookup lookup, Map<String, AddressKind> declared) {
        declared.forEach((name, kind) -> {
            Address existing = lookup.find(name);
            if (existing != null && existing.kind() != kind) {
                throw new ConfigurationRefused(
                        "RT-1040",
                        "ringtable." + kind.name().toLowerCase(Locale.ROOT) + "s has '" + name + "', and " + existing
                                + " is stored: declare it under its stored kind, or use another name");
            }
        });
    }

    /**
     * Asks for an address, and logs a refusal. Requests take place in order, so the address exists before the first
     * client asks.
     */
    static CompletionStage<Address> declare(CatalogMailbox catalog, String name, AddressKind kind) {
        return catalog.ensure(name, kind).whenComplete((made, refused) -> {
            if (refused != null) {
                LOG.warn(
                        "RT-2022 '{}' cannot be created now, only when a client names it: {}",
                        name,
                        refused.getMessage());
            }
        });
    }
}
