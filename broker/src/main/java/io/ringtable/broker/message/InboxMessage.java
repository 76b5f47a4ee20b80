package io.ringtable.broker.message;

/**
 * A message that an application has published inside a transaction of its own, now committed.
 *
 * @param address name without prefix
 * @param kind what the application said it is; null if it did not say
 * @param text whether the body is a text, in UTF-8
 * @param properties a JSON object of strings, numbers, booleans and nulls
 */
public record InboxMessage(
        long id, String address, AddressKind kind, boolean text, byte[] body, String properties, long ageMs)
        implements InboxRow {}
