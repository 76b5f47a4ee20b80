package io.ringtable.client;

/**
 * A message that comes again has been acknowledged by an earlier transaction: what it stands for is done, and this
 * transaction has to be rolled back. A handler lets it pass; the SDK then acknowledges the message to the broker as well.
 */
public final class AlreadyAcknowledgedException extends RingtableException {

    private static final long serialVersionUID = 1L;

    private final String deliveryTag;

    public AlreadyAcknowledgedException(String code, String text, String deliveryTag, Throwable cause) {
        super(code, Reason.REJECTED, text, null, cause);
        this.deliveryTag = deliveryTag;
    }

    /** Of the message: {@link ReceivedMessage#deliveryTag}. */
    public String deliveryTag() {
        return deliveryTag;
    }
}
