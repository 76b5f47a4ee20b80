package io.ringtable.broker.store;

import io.ringtable.broker.message.AddressKind;

/** A stored address; see {@link CatalogChange.CreateAddress}. */
public record AddressRow(long addressId, String name, AddressKind kind, long quotaMessages, long quotaBytes) {}
