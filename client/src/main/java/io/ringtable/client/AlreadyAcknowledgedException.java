package io.ringtable.client;

/**
 * Reports that an earlier transaction has acknowledged a message that comes again. The work for it is done, and this
 * transaction has to be rolled back. A handler lets the exception pass; the SDK then acknowledges the message to the
 * broker as well.
 */
public final class AlreadyAcknowledgedException extends RingtableException {

    private static final long serialVersionUID = 1L;

    private final String deliveryTag;

    public AlreadyAcknowledgedException(String code, String text, String deliveryTag, Throwable cause) {
        super(code, Reason.REJECTED, text, null, cause);
        this.deliveryTag = deliveryTag;
    }

    /** Returns the {@link ReceivedMessage#deliveryTag} of the message. */
    public String deliveryTag() {
        return deliveryTag;
    }
}
