package io.ringtable.broker.store;

import io.ringtable.broker.message.PublisherLogin;

/**
 * Describes a stored login, by which messages were published.
 *
 * @param loginId 1, 2, 3 ... in its shard; never reused
 * @param login of a kind that has rows: a user, a database's user, the broker
 */
public record LoginRow(int loginId, PublisherLogin login) {}
