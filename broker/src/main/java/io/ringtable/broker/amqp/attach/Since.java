package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.message.AddressKind;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;

/**
 * Reads the time from which a new durable subscription gets what its topic has retained. The source's filter
 * {@code ringtable:since:timestamp} gives the time. Clients without filters write it behind the topic's name:
 * {@code flights?since=2026-11-21T10:00:00Z}. On a later attach to the same subscription the time has no effect.
 * <p>
 * Thread: any; holds nothing.
 */
final class Since {
    private Since() {}

    /** Returns the address that the source names, without a time. */
    public static NodeName node(Source source) {
        String address = source.getAddress() == null ? "" : source.getAddress();
        int end = address.indexOf(CatalogMailbox.SINCE);
        NodeName node = NodeName.of(end < 0 ? address : address.substring(0, end), source.getCapabilities());
        return isAsked(source) && node.kind() == null
                ? new NodeName(node.name(), AddressKind.TOPIC, node.temporary())
                : node;
    }

    /**
     * Returns the time that the source asks for; null if it asks for none.
     *
     * @throws IllegalArgumentException if the text is not a time, or the source has no past
     */
    public static Instant of(Source source) {
        if (!isAsked(source)) {
            return null;
        }
        boolean durable = source.getDurable() != null && source.getDurable() != TerminusDurability.NONE;
        if (source.isDynamic() || node(source).kind() == AddressKind.QUEUE || !durable) {
            throw new IllegalArgumentException("only a durable subscription of a topic can begin in the past");
        }
        String address = source.getAddress();
        int end = address.indexOf(CatalogMailbox.SINCE);
        return end < 0 ? SourceFilters.since(source) : time(address.substring(end + CatalogMailbox.SINCE.length()));
    }

    private static boolean isAsked(Source source) {
        return SourceFilters.isSince(source)
                || source.getAddress() != null && source.getAddress().contains(CatalogMailbox.SINCE);
    }

    /** Reads a time. @throws IllegalArgumentException if the text is not a time */
    public static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a time: write it as 2026-11-21T10:00:00Z or 2026-11-21T11:00:00+01:00", e);
        }
    }
}
