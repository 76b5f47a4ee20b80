package io.ringtable.broker.store;

import io.ringtable.broker.message.AddressKind;

/** Describes a stored address; see {@link CatalogChange.CreateAddress}. */
public record AddressRow(long addressId, String name, AddressKind kind, long quotaMessages, long quotaBytes) {}
