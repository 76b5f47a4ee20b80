package io.ringtable.broker.management;

/** Lists the methods of HTTP that operations have, in their usual sense (RFC 9110 section 9). */
public enum Method {
    GET,
    PUT,
    POST,
    DELETE;

    /** Tells whether an operation changes something, so that the audit log speaks of it. */
    public boolean changes() {
        return this != GET;
    }
}
