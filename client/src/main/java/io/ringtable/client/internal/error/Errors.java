package io.ringtable.client.internal.error;

import io.ringtable.client.Address;
import io.ringtable.client.RingtableException;
import io.ringtable.client.RingtableException.Reason;
import java.time.Duration;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Makes every error that the implementation raises, with its code; docs/client.md lists them. The values of the API
 * make theirs in {@link RingtableException}.
 */
public final class Errors {

    private Errors() {}

    public static RingtableException configuration(String what, String cure, Throwable cause) {
        return new RingtableException("RT-5001", Reason.CONFIGURATION, what + ": " + cure, null, cause);
    }

    public static RingtableException unreachable(String uris, Duration waited, Throwable cause) {
        String why = cause == null ? "" : " (" + text(cause) + ")";
        return new RingtableException(
                "RT-5002",
                Reason.CONNECTION,
                "no broker could be reached at " + uris + " within " + waited.toMillis() + " ms" + why
                        + ": start one, correct the URI, or raise waitForBroker",
                null,
                cause);
    }

    public static RingtableException login(String endpoint, String user, Throwable cause) {
        return new RingtableException(
                "RT-5003",
                Reason.SECURITY,
                "login at " + endpoint + " as " + (user == null ? "ANONYMOUS" : "'" + user + "'") + " refused ("
                        + text(cause) + "): check user and password",
                null,
                cause);
    }

    public static RingtableException tls(String endpoint, Throwable cause) {
        return new RingtableException(
                "RT-5004",
                Reason.SECURITY,
                "no TLS with " + endpoint + " (" + text(cause)
                        + "): check scheme, port, trust store and the names in the broker's certificate",
                null,
                cause);
    }

    public static RingtableException connectionRefused(String endpoint, ErrorCondition condition) {
        return new RingtableException(
                "RT-5005",
                Reason.CONNECTION,
                endpoint + " refused or closed the connection: " + text(condition),
                name(condition),
                null);
    }

    public static RingtableException connectionLost(String endpoint, String why, Throwable cause) {
        return new RingtableException(
                "RT-5006", Reason.CONNECTION, "connection to " + endpoint + " lost: " + why, null, cause);
    }

    public static RingtableException redirected(String endpoint, String to) {
        return connectionLost(endpoint, "the broker sends this client to " + to, null);
    }

    public static RingtableException gaveUp(Duration after, RingtableException cause) {
        return new RingtableException(
                "RT-5007",
                Reason.CONNECTION,
                "no connection for " + after.toMillis() + " ms, the bound of reconnect.giveUpAfter; last failure: "
                        + cause.getMessage(),
                cause.condition().orElse(null),
                cause);
    }

    public static RingtableException closed(String what) {
        return new RingtableException("RT-5008", Reason.CLOSED, what + " is closed", null, null);
    }

    public static RingtableException unanswered(String what, Duration waited) {
        return new RingtableException(
                "RT-5008",
                Reason.CLOSED,
                what + " is closed; the broker had not answered within " + waited.toMillis()
                        + " ms, the message may be stored or not",
                null,
                null);
    }

    public static RingtableException inFlightFull(Address address, int messages, long bytes, Duration waited) {
        return new RingtableException(
                "RT-5010",
                Reason.TIMEOUT,
                "no room for another message to " + address + " for " + waited.toMillis() + " ms ("
                        + messages + " messages, " + bytes
                        + " bytes unanswered): the broker is slow, away or its address full."
                        + " Publish less, or raise inFlightLimit or publishTimeout",
                null,
                null);
    }

    public static RingtableException rejected(Address address, String outcome, ErrorCondition condition) {
        return new RingtableException(
                "RT-5011",
                Reason.REJECTED,
                "message to " + address + " " + outcome + " by the broker: " + text(condition),
                name(condition),
                null);
    }

    public static RingtableException tooLarge(Address address, long bytes, long bytesMax) {
        return new RingtableException(
                "RT-5012",
                Reason.REJECTED,
                "message of " + bytes + " bytes to " + address + " > the broker's maximum of " + bytesMax
                        + ": make it smaller or raise the broker's limit",
                "amqp:link:message-size-exceeded",
                null);
    }

    public static RingtableException noOutcome(Address address, Duration waited) {
        return new RingtableException(
                "RT-5013",
                Reason.TIMEOUT,
                "no answer to a message to " + address + " within " + waited.toMillis()
                        + " ms: it is still under way and may be stored",
                null,
                null);
    }

    public static RingtableException content(String what, Throwable cause) {
        return new RingtableException("RT-5014", Reason.CONTENT, "message cannot be encoded: " + what, null, cause);
    }

    public static RingtableException onIoThread(String call) {
        return new RingtableException(
                "RT-5015",
                Reason.CONFIGURATION,
                call + " would block the client's I/O thread: call it from another thread, for example after"
                        + " thenAcceptAsync",
                null,
                null);
    }

    public static RingtableException noProducers(String what) {
        return new RingtableException(
                "RT-5016",
                Reason.CONFIGURATION,
                what
                        + ": the broker does not know producer ids, so messages could be stored twice: use a newer"
                        + " broker, or leave the producer id out",
                null,
                null);
    }

    public static RingtableException outOfOrder(String what, ErrorCondition condition) {
        return new RingtableException(
                "RT-5017",
                Reason.REJECTED,
                what + " and the broker disagree on the last number (" + text(condition)
                        + "): close the publisher, open another and go on after its lastPublishedNumber",
                name(condition),
                null);
    }

    public static RingtableException noDeletion(Address address) {
        return new RingtableException(
                "RT-5018",
                Reason.CONFIGURATION,
                "the broker does not know how to delete " + address + ", so nothing has changed: use a newer broker",
                null,
                null);
    }

    public static RingtableException refused(String what, ErrorCondition condition) {
        return new RingtableException(
                "RT-5020", Reason.REJECTED, what + " refused by the broker: " + text(condition), name(condition), null);
    }

    public static RingtableException noAnswer(String what, Duration waited, boolean connected) {
        return new RingtableException(
                "RT-5021",
                Reason.TIMEOUT,
                what + ": no answer within " + waited.toMillis() + " ms (" + (connected ? "connected" : "not connected")
                        + "): raise requestTimeout or look at the broker",
                null,
                null);
    }

    public static RingtableException needsClientId(String name) {
        return new RingtableException(
                "RT-5022",
                Reason.CONFIGURATION,
                "durable subscription '" + name + "' needs a client id: set clientId when building the client",
                null,
                null);
    }

    public static RingtableException detached(String what, ErrorCondition condition) {
        return new RingtableException(
                "RT-5023", Reason.REJECTED, what + " ended by the broker: " + text(condition), name(condition), null);
    }

    public static RingtableException interrupted(String call, InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new RingtableException("RT-5024", Reason.TIMEOUT, call + " was interrupted", null, cause);
    }

    public static RingtableException body(String what, Throwable cause) {
        return new RingtableException("RT-5030", Reason.CONTENT, "body cannot be read: " + what, null, cause);
    }

    /** Returns a copy for the calling thread, so that its stack shows who waited; the original is the cause. */
    public static RingtableException forCaller(RingtableException failure) {
        String text = failure.getMessage().substring(failure.code().length() + 1);
        return new RingtableException(
                failure.code(), failure.reason(), text, failure.condition().orElse(null), failure);
    }

    private static String name(ErrorCondition condition) {
        return condition == null || condition.getCondition() == null
                ? null
                : condition.getCondition().toString();
    }

    private static String text(ErrorCondition condition) {
        if (condition == null || condition.getCondition() == null) {
            return "no reason given";
        }
        String description = condition.getDescription();
        return description == null || description.isBlank()
                ? condition.getCondition().toString()
                : condition.getCondition() + ": " + description;
    }

    private static String text(Throwable cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
