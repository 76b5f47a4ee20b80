package io.ringtable.broker.amqp;

/** Bytes that are no AMQP message; the text says where. Carries no stack: it is an answer to a client, not a defect. */
final class MalformedMessage extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedMessage(String text) {
        super(text, null, false, false);
    }
}
