package io.ringtable.spring.internal;

import io.ringtable.client.RingtableException;
import io.ringtable.client.RingtableException.Reason;

/** Makes the errors of this module, with their codes; docs/spring-sdk.md lists them. */
public final class SpringErrors {

    private static final String SETTING = "RT-5040";

    private SpringErrors() {}

    /** Reports a setting of a template or a listener that cannot work. */
    public static RingtableException setting(String what, String cure) {
        return setting(what, cure, null);
    }

    public static RingtableException setting(String what, String cure, Throwable cause) {
        return new RingtableException(SETTING, Reason.CONFIGURATION, what + ": " + cure, null, cause);
    }

    /** Tells whether a setting was refused here already, and not by the SDK. */
    public static boolean isOurs(RingtableException refusal) {
        return refusal.code().equals(SETTING);
    }

    public static RingtableException noContainerFactory(String listener, String bean, Throwable cause) {
        return new RingtableException(
                "RT-5041",
                Reason.CONFIGURATION,
                listener + " needs the bean '" + bean + "' of type RingtableListenerContainerFactory, which is not"
                        + " there: define it, correct containerFactory, or use ringtable-spring-boot-starter",
                null,
                cause);
    }

    public static RingtableException noTransactions(String listener) {
        return new RingtableException(
                "RT-5042",
                Reason.CONFIGURATION,
                listener + " has ackMode TRANSACTIONAL, but its container factory has no transactions: choose another"
                        + " ackMode, or call setTransactions. It takes the transaction manager and a"
                        + " TransactionalAcknowledger on its data source",
                null,
                null);
    }

    /** @param what names the message */
    public static RingtableException noTransactionalPublisher(String what) {
        return new RingtableException(
                "RT-5043",
                Reason.CONFIGURATION,
                what + " cannot be sent in the transaction, as no TransactionalPublisher is set:"
                        + " call setTransactionalPublisher with one on the transaction's data source. Or send"
                        + " outside of the transaction with convertAndSend",
                null,
                null);
    }

    public static RingtableException noReplyAddress(String listener, String messageId) {
        return new RingtableException(
                "RT-5044",
                Reason.CONFIGURATION,
                listener + " returned a reply, but message " + messageId + " names no address for it: annotate the"
                        + " method with @SendTo, return nothing, or have the sender set reply-to",
                null,
                null);
    }

    public static RingtableException method(String listener, String what, String cure) {
        return new RingtableException("RT-5045", Reason.CONFIGURATION, listener + " " + what + ": " + cure, null, null);
    }

    public static RingtableException sameId(String id, String first, String second) {
        return new RingtableException(
                "RT-5048",
                Reason.CONFIGURATION,
                "the id '" + id + "' is that of " + first + " and of " + second + ": give each listener its own",
                null,
                null);
    }

    public static RingtableException noListener(String id, Object known) {
        return new RingtableException(
                "RT-5049", Reason.CONFIGURATION, "no listener has the id '" + id + "': there are " + known, null, null);
    }
}
