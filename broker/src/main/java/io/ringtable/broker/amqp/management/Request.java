package io.ringtable.broker.amqp.management;

/**
 * Asks for one operation, as its message does.
 *
 * @param method as in HTTP
 * @param target a path and, behind a question mark, a query, both percent-encoded
 * @param replyTo where the answer goes, as the client names it
 * @param correlationId encoded value by which the client knows the answer; an encoded null if it gave none
 * @param encoded the whole message
 */
record Request(String method, String target, String replyTo, byte[] correlationId, byte[] encoded) {}
