package io.ringtable.broker.amqp.link;

import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.wire.MalformedMessage;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/** Translates refusals into error conditions (AMQP 1.0 section 2.8.15). The description begins with the code. */
public final class Conditions {
    private Conditions() {}

    /** Makes every condition: text for peers has no control characters, and a bounded length. */
    public static ErrorCondition of(Symbol condition, String description) {
        return new ErrorCondition(condition, Printable.text(description));
    }

    public static ErrorCondition of(Symbol condition, String description, Map<Symbol, Object> info) {
        return new ErrorCondition(condition, Printable.text(description), info);
    }

    private static final int CODE_LENGTH = "RT-nnnn".length();
    private static final Pattern CODED = Pattern.compile("RT-\\d{4} .*", Pattern.DOTALL);
    private static final Map<Symbol, Refusal.Reason> REASONS = Map.of(
            AmqpError.RESOURCE_LIMIT_EXCEEDED,
            Refusal.Reason.LIMIT,
            AmqpError.NOT_FOUND,
            Refusal.Reason.NOT_FOUND,
            AmqpError.NOT_ALLOWED,
            Refusal.Reason.NOT_ALLOWED,
            AmqpError.UNAUTHORIZED_ACCESS,
            Refusal.Reason.NOT_PERMITTED,
            AmqpError.RESOURCE_LOCKED,
            Refusal.Reason.IN_USE,
            AmqpError.INVALID_FIELD,
            Refusal.Reason.INVALID);

    public static ErrorCondition of(Refusal refusal) {
        Symbol condition = switch (refusal.reason()) {
            case LIMIT -> AmqpError.RESOURCE_LIMIT_EXCEEDED;
            case NOT_FOUND -> AmqpError.NOT_FOUND;
            case NOT_ALLOWED -> AmqpError.NOT_ALLOWED;
            case NOT_PERMITTED -> AmqpError.UNAUTHORIZED_ACCESS;
            case IN_USE -> AmqpError.RESOURCE_LOCKED;
            case INVALID -> AmqpError.INVALID_FIELD;
            case OUT_OF_ORDER -> AmqpError.PRECONDITION_FAILED;
            case UNAVAILABLE -> ConnectionError.CONNECTION_FORCED;
        };
        return of(condition, refusal.toString());
    }

    /** Returns the refusal of which another node has told. */
    public static Refusal.Refused refused(ErrorCondition told) {
        Refusal.Reason reason = told.getCondition() == null
                ? Refusal.Reason.UNAVAILABLE
                : REASONS.getOrDefault(told.getCondition(), Refusal.Reason.UNAVAILABLE);
        String text = String.valueOf(told.getDescription());
        return CODED.matcher(text).matches()
                ? new Refusal.Refused(
                        new Refusal(reason, text.substring(0, CODE_LENGTH), text.substring(CODE_LENGTH + 1)))
                : new Refusal.Refused(new Refusal(reason, "RT-4648", "another node refuses the link: " + text));
    }

    public static ErrorCondition of(Throwable failure) {
        Throwable cause = causeOf(failure);
        if (cause instanceof Refusal.Refused refused && refused.refusal() != null) {
            return of(refused.refusal());
        }
        return of(AmqpError.INTERNAL_ERROR, "RT-4090 " + cause);
    }

    private static Throwable causeOf(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && !(cause instanceof Refusal.Refused)) {
            cause = cause.getCause();
        }
        return cause;
    }

    public static boolean isInUse(Throwable failure) {
        return isAbout(failure, Set.of(Refusal.Reason.IN_USE));
    }

    /** Tells whether a failure is a refusal for one of the reasons. */
    public static boolean isAbout(Throwable failure, Set<Refusal.Reason> reasons) {
        return causeOf(failure) instanceof Refusal.Refused refused
                && refused.refusal() != null
                && reasons.contains(refused.refusal().reason());
    }

    /** Returns why bytes that a client sent are no message. */
    public static ErrorCondition malformed(MalformedMessage e) {
        return e.code() == null
                ? of(AmqpError.DECODE_ERROR, "RT-4043 not an AMQP message: " + e.getMessage())
                : invalid(e.code(), e.getMessage());
    }

    public static ErrorCondition notImplemented(String code, String text) {
        return of(AmqpError.NOT_IMPLEMENTED, code + " " + text);
    }

    public static ErrorCondition noTemporary(NodeName node) {
        return of(
                AmqpError.NOT_FOUND,
                "RT-4048 there is no temporary address '" + node.name()
                        + "': it ended with the link or the connection that made it");
    }

    public static ErrorCondition limit(String code, String text) {
        return of(AmqpError.RESOURCE_LIMIT_EXCEEDED, code + " " + text);
    }

    public static ErrorCondition invalid(String code, String text) {
        return of(AmqpError.INVALID_FIELD, code + " " + text);
    }
}
