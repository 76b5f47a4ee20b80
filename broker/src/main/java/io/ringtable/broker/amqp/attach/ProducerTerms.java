package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.wire.RingtableSymbols;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.LinkError;

/**
 * Reads the properties by which an attach asks for deduplication of numbered messages, and writes those of the answer.
 *
 * @param name the producer id
 * @param incarnation the incarnation that the broker gave at the first attach; 0 = this is the first
 */
record ProducerTerms(String name, long incarnation) {
    public static final ErrorCondition FENCED = Conditions.of(
            LinkError.STOLEN,
            "RT-4101 its producer id was opened by another publisher: give each one an id of its own");

    /** Returns null if the publisher names no producer; terms with an empty name if it asks wrongly. */
    public static ProducerTerms of(Receiver receiver) {
        Map<Symbol, Object> properties = receiver.getRemoteProperties();
        Object name = properties == null ? null : properties.get(RingtableSymbols.PRODUCER);
        if (name == null) {
            return null;
        }
        Object incarnation = properties.get(RingtableSymbols.PRODUCER_INCARNATION);
        boolean isNumber = incarnation == null || incarnation instanceof Long number && number > 0;
        return name instanceof String text && isNumber
                ? new ProducerTerms(text, incarnation == null ? 0 : (Long) incarnation)
                : new ProducerTerms("", 0);
    }

    /** Returns why the broker refuses the terms, or null; {@code named} says whether the target is a named address. */
    public ErrorCondition refusal(boolean named) {
        if (!named) {
            return Conditions.notImplemented("RT-4110", "a producer publishes to one address: name it as the target");
        }
        if (name.isEmpty() || name.length() > Producer.NAME_MAX || name.chars().anyMatch(Character::isISOControl)) {
            return Conditions.invalid(
                    "RT-4104",
                    "link property " + RingtableSymbols.PRODUCER + " is a string of 1 to " + Producer.NAME_MAX
                            + " characters without control characters, and "
                            + RingtableSymbols.PRODUCER_INCARNATION
                            + " a long that this broker has given");
        }
        return null;
    }

    /** Returns the properties of the answer. */
    public Map<Symbol, Object> answer(Producer producer) {
        return Map.of(
                RingtableSymbols.PRODUCER,
                name,
                RingtableSymbols.PRODUCER_INCARNATION,
                producer.incarnation(),
                RingtableSymbols.PRODUCER_LAST_NUMBER,
                producer.lastNumber());
    }
}
