package io.ringtable.broker.amqp.link;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import java.util.Locale;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * Names an address as a client does.
 *
 * @param name without prefix
 * @param kind as the client names it; null if it does not
 * @param temporary whether the client says that the address is temporary
 */
public record NodeName(String name, AddressKind kind, boolean temporary) {
    public static final Symbol QUEUE = Symbol.valueOf("queue");
    public static final Symbol TOPIC = Symbol.valueOf("topic");
    static final Symbol TEMPORARY_QUEUE = Symbol.valueOf("temporary-queue");
    static final Symbol TEMPORARY_TOPIC = Symbol.valueOf("temporary-topic");

    /** Names the management node. */
    public static final String MANAGEMENT = "$management";

    /** Names the management node as clients of RabbitMQ know it. */
    private static final String MANAGEMENT_OF_RABBITMQ = "/management";

    private static final String QUEUE_PREFIX = "queue://";
    private static final String TOPIC_PREFIX = "topic://";

    /** Reads the name from a terminus: a capability goes before a prefix. */
    public static NodeName of(String address, Symbol[] capabilities) {
        NodeName named = of(address);
        if (has(capabilities, QUEUE)) {
            return new NodeName(named.name, AddressKind.QUEUE, false);
        }
        if (has(capabilities, TOPIC)) {
            return new NodeName(named.name, AddressKind.TOPIC, false);
        }
        if (has(capabilities, TEMPORARY_QUEUE)) {
            return new NodeName(named.name, AddressKind.QUEUE, true);
        }
        if (has(capabilities, TEMPORARY_TOPIC)) {
            return new NodeName(named.name, AddressKind.TOPIC, true);
        }
        return named;
    }

    /** Reads the name from a message's {@code to} and its annotation {@code x-opt-jms-dest}. */
    public static NodeName of(String to, int jmsDestination) {
        NodeName named = of(to);
        return switch (jmsDestination) {
            case 0 -> new NodeName(named.name, AddressKind.QUEUE, false);
            case 1 -> new NodeName(named.name, AddressKind.TOPIC, false);
            case 2 -> new NodeName(named.name, AddressKind.QUEUE, true);
            case 3 -> new NodeName(named.name, AddressKind.TOPIC, true);
            default -> named;
        };
    }

    /** Reads the name from a text alone: a prefix says the kind. */
    public static NodeName of(String address) {
        if (address.startsWith(QUEUE_PREFIX)) {
            return new NodeName(address.substring(QUEUE_PREFIX.length()), AddressKind.QUEUE, false);
        }
        if (address.startsWith(TOPIC_PREFIX)) {
            return new NodeName(address.substring(TOPIC_PREFIX.length()), AddressKind.TOPIC, false);
        }
        return new NodeName(address, null, false);
    }

    public static boolean has(Symbol[] capabilities, Symbol wanted) {
        if (capabilities != null) {
            for (Symbol capability : capabilities) {
                if (wanted.equals(capability)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Tells whether the name is usable as that of an address. */
    public boolean isValid() {
        return Address.isName(name);
    }

    /** Tells whether only a temporary address has the name, whatever the client says. No other node takes that over. */
    public boolean isOfTemporary() {
        return temporary || name.startsWith(Address.TEMPORARY_PREFIX);
    }

    /** Tells whether the management node is meant, which is no address. */
    public boolean isManagement() {
        return name.equals(MANAGEMENT) || name.equals(MANAGEMENT_OF_RABBITMQ);
    }

    public String kindInWords() {
        return kind == null ? "address" : kind.name().toLowerCase(Locale.ROOT);
    }

    /** Tells whether that address is what the client means. */
    public boolean matches(Address address) {
        return (kind == null || kind == address.kind()) && (!temporary || address.isTemporary());
    }
}
