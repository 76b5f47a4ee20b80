package io.ringtable.broker.amqp.carried;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.wire.ProducerTag;
import io.ringtable.wire.RingtableSymbols;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * Says which producer numbers the transfers of a publisher's link that another node carries: property
 * {@code ringtable:relay-producer} of its attach and of the answer (ADR 84).
 *
 * @param name begins with {@link Producer#RELAY_PREFIX}
 * @param incarnation of the producer; 0 in an attach that begins with it, whichever there is
 * @param lastNumber in an answer, the number of the last transfer that is stored; 0 = none
 */
public record CarriedProducer(String name, long incarnation, long lastNumber) {
    /** Says of an answer how far the producer of a link is. */
    public static CarriedProducer of(String name, Producer held) {
        return new CarriedProducer(name, held.incarnation(), held.lastNumber() / Producer.RELAY_STEP);
    }

    /** Reads what the other end of a link says; null if it says nothing that can be. */
    public static CarriedProducer of(Link<?> link) {
        Map<Symbol, Object> properties = link.getRemoteProperties();
        Object name = properties == null ? null : properties.get(RingtableSymbols.RELAY_PRODUCER);
        return name instanceof String text && Producer.isOfRelay(text) && text.length() <= Producer.NAME_MAX
                ? new CarriedProducer(
                        text,
                        number(properties, RingtableSymbols.PRODUCER_INCARNATION),
                        number(properties, RingtableSymbols.PRODUCER_LAST_NUMBER))
                : null;
    }

    private static long number(Map<Symbol, Object> properties, Symbol key) {
        return properties.get(key) instanceof Long number && number > 0 ? number : 0;
    }

    /** Returns the properties that say it. */
    public Map<Symbol, Object> said() {
        Map<Symbol, Object> said = new HashMap<>();
        said.put(RingtableSymbols.RELAY_PRODUCER, name);
        if (incarnation > 0) {
            said.put(RingtableSymbols.PRODUCER_INCARNATION, incarnation);
        }
        if (lastNumber > 0) {
            said.put(RingtableSymbols.PRODUCER_LAST_NUMBER, lastNumber);
        }
        return said;
    }

    /** Returns properties without those that {@link #said} adds: a client hears nothing of them. */
    public static Map<Symbol, Object> without(Map<Symbol, Object> properties) {
        if (properties == null || !properties.containsKey(RingtableSymbols.RELAY_PRODUCER)) {
            return properties;
        }
        Map<Symbol, Object> others = new HashMap<>(properties);
        others.remove(RingtableSymbols.RELAY_PRODUCER);
        others.remove(RingtableSymbols.PRODUCER_INCARNATION);
        others.remove(RingtableSymbols.PRODUCER_LAST_NUMBER);
        return others.isEmpty() ? null : others;
    }

    /**
     * Returns the delivery tag of a transfer.
     *
     * @param number from 1
     * @param previous number of the transfer sent before, of those that were not refused; 0 = none
     */
    public static byte[] tag(long number, long previous) {
        return ProducerTag.of(number * Producer.RELAY_STEP, previous * Producer.RELAY_STEP);
    }
}
