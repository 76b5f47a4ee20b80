package io.ringtable.broker.message;

/**
 * Describes a message that an application published inside a transaction of its own, now committed.
 *
 * @param address name without prefix
 * @param kind as the application named it; null if it did not
 * @param text whether the body is a text, in UTF-8
 * @param properties a JSON object of strings, numbers, booleans and nulls
 * @param publishedBy user of the database who published it; null if that is not known
 */
public record InboxMessage(
        long id,
        String address,
        AddressKind kind,
        boolean text,
        byte[] body,
        String properties,
        long ageMs,
        String publishedBy)
        implements InboxRow {}
