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
 * From when on a durable subscription that is created gets what its topic has kept: the source's filter
 * {@code ringtable:since:timestamp} says it, or, for clients that set no filters, what follows the topic's name:
 * {@code flights?since=2026-11-21T10:00:00Z}. Who attaches again to a subscription that is there says it again, and it counts no more.
 * <p>
 * Thread: any; holds nothing.
 */
final class Since {
    private Since() {}

    /** The address that the source names, without a time. */
    public static NodeName node(Source source) {
        String address = source.getAddress() == null ? "" : source.getAddress();
        int end = address.indexOf(CatalogMailbox.SINCE);
        NodeName node = NodeName.of(end < 0 ? address : address.substring(0, end), source.getCapabilities());
        return isAsked(source) && node.kind() == null
                ? new NodeName(node.name(), AddressKind.TOPIC, node.temporary())
                : node;
    }

    /** Null if it does not ask for any. @throws IllegalArgumentException if it is no time, or of nothing that has a past */
    public static Instant of(Source source) {
        if (!isAsked(source)) {
            return null;
        }
        boolean durable = source.getDurable() != null && source.getDurable() != TerminusDurability.NONE;
        if (source.isDynamic() || node(source).kind() == AddressKind.QUEUE || !durable) {
            throw new IllegalArgumentException("only a durable subscription of a topic begins in the past");
        }
        String address = source.getAddress();
        int end = address.indexOf(CatalogMailbox.SINCE);
        return end < 0 ? SourceFilters.since(source) : time(address.substring(end + CatalogMailbox.SINCE.length()));
    }

    private static boolean isAsked(Source source) {
        return SourceFilters.isSince(source)
                || source.getAddress() != null && source.getAddress().contains(CatalogMailbox.SINCE);
    }

    /** @throws IllegalArgumentException if it is none */
    public static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no time: write it as 2026-11-21T10:00:00Z or 2026-11-21T11:00:00+01:00", e);
        }
    }
}
