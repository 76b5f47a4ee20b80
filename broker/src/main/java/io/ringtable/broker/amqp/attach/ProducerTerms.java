package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.catalog.Producer;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.LinkError;

/**
 * What a publisher asks for by the properties of its attach so that its messages are stored once, and what it is answered by those of
 * ours.
 *
 * @param name the producer id
 * @param incarnation that it was given when it attached for the first time; 0 = this is the first time
 */
record ProducerTerms(String name, long incarnation) {
    private static final Symbol PRODUCER = Symbol.valueOf("ringtable:producer");
    private static final Symbol INCARNATION = Symbol.valueOf("ringtable:producer-incarnation");
    private static final Symbol LAST_NUMBER = Symbol.valueOf("ringtable:producer-last-number");

    public static final ErrorCondition FENCED = Conditions.of(
            LinkError.STOLEN,
            "RT-4101 its producer id was opened by another publisher: give each one an id of its own");

    /** Null if it asks for none; one of no name if it asks in a way that is none. */
    public static ProducerTerms of(Receiver receiver) {
        Map<Symbol, Object> properties = receiver.getRemoteProperties();
        Object name = properties == null ? null : properties.get(PRODUCER);
        if (name == null) {
            return null;
        }
        Object incarnation = properties.get(INCARNATION);
        boolean isNumber = incarnation == null || incarnation instanceof Long number && number > 0;
        return name instanceof String text && isNumber
                ? new ProducerTerms(text, incarnation == null ? 0 : (Long) incarnation)
                : new ProducerTerms("", 0);
    }

    /** @param named whether the link has a target that is an address by name */
    public ErrorCondition refusal(boolean named) {
        if (!named) {
            return Conditions.notImplemented("RT-4110", "a producer publishes to one address: name it as the target");
        }
        if (name.isEmpty() || name.length() > Producer.NAME_MAX || name.chars().anyMatch(Character::isISOControl)) {
            return Conditions.invalid(
                    "RT-4104",
                    "link property " + PRODUCER + " is a string of 1 to " + Producer.NAME_MAX
                            + " characters, none of them a control character, and " + INCARNATION
                            + " a long that this broker has given");
        }
        return null;
    }

    public Map<Symbol, Object> answer(Producer producer) {
        return Map.of(PRODUCER, name, INCARNATION, producer.incarnation(), LAST_NUMBER, producer.lastNumber());
    }
}
