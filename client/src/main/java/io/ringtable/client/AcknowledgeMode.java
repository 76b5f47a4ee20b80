package io.ringtable.client;

/** Says who decides that a message has been dealt with. */
public enum AcknowledgeMode {
    /**
     * The SDK acknowledges a message when the handler returns, and {@linkplain ReceivedMessage#fail fails} it when the
     * handler throws.
     */
    AUTO,
    /**
     * The application acknowledges each message, from any thread, when it likes. Messages not yet acknowledged count
     * against the prefetch, so a handler that forgets them comes to a halt. If the handler throws before it has
     * decided, the SDK {@linkplain ReceivedMessage#fail fails} the message.
     */
    MANUAL
}
