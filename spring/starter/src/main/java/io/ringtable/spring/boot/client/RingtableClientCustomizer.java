package io.ringtable.spring.boot.client;

import io.ringtable.client.ClientBuilder;

/**
 * Changes the SDK's client after the starter has set up its builder and before it connects. Beans of this type are
 * called in their order.
 */
@FunctionalInterface
public interface RingtableClientCustomizer {

    void customize(ClientBuilder builder);
}
