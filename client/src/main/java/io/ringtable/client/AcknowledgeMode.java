package io.ringtable.client;

/** Who says that a message has been dealt with. */
public enum AcknowledgeMode {
    /** The SDK: acknowledged when the handler returns, {@linkplain ReceivedMessage#fail failed} when it throws. */
    AUTO,
    /**
     * The application, on each message, from any thread, when it likes. Messages not yet acknowledged count against the
     * prefetch, so a handler that forgets them comes to a halt. If the handler throws before it has decided, the SDK
     * {@linkplain ReceivedMessage#fail fails} the message.
     */
    MANUAL
}
