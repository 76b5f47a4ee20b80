package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.selector.AmqpSelector;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.DescribedType;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnknownDescribedType;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Source;

/**
 * The filters of a source that are obeyed: {@code apache.org:selector-filter:string} and {@code apache.org:no-local-filter:list}, by
 * code or symbol, and {@code ringtable:since:timestamp}, under any key (AMQP 1.0 section 3.5.8).
 * <p>
 * Thread: any; holds nothing.
 */
final class SourceFilters {
    private static final UnsignedLong SELECTOR = UnsignedLong.valueOf(0x0000468C00000004L);
    private static final Symbol SELECTOR_SYMBOL = Symbol.valueOf("apache.org:selector-filter:string");
    private static final UnsignedLong NO_LOCAL = UnsignedLong.valueOf(0x0000468C00000003L);
    private static final Symbol NO_LOCAL_SYMBOL = Symbol.valueOf("apache.org:no-local-filter:list");

    private static final Symbol SINCE = Symbol.valueOf("ringtable:since:timestamp");

    private SourceFilters() {}

    static boolean isSince(Source source) {
        return filter(source, null, SINCE) != null;
    }

    /** Asked only where there is one. @throws IllegalArgumentException if it is not well formed */
    public static Instant since(Source source) {
        Object since = filter(source, null, SINCE).getDescribed();
        if (since instanceof Long milliseconds) { // what the codec makes of a timestamp
            return Instant.ofEpochMilli(milliseconds);
        }
        if (since instanceof String text) {
            return Since.time(text);
        }
        throw new IllegalArgumentException("filter " + SINCE + " is a timestamp, or a string with a time");
    }

    static boolean isNoLocal(Source source) {
        return filter(source, NO_LOCAL, NO_LOCAL_SYMBOL) != null;
    }

    /** Null if there is none. @throws IllegalArgumentException if it is not well formed */
    public static Selector selector(Source source) {
        DescribedType filter = filter(source, SELECTOR, SELECTOR_SYMBOL);
        if (filter == null) {
            return null;
        }
        if (!(filter.getDescribed() instanceof String text)) {
            throw new IllegalArgumentException("a selector is a string");
        }
        return text.isBlank() ? null : AmqpSelector.compile(text);
    }

    /** Those that are obeyed, under the client's own keys (AMQP 1.0 section 3.5.3); null if there are none. */
    public static Map<Symbol, Object> applied(Source source, boolean selects, boolean noLocal) {
        boolean isSince = isSince(source);
        if (!selects && !noLocal && !isSince) {
            return null;
        }
        List<DescribedType> obeyed = new ArrayList<>();
        if (isSince) {
            obeyed.add(filter(source, null, SINCE));
        }
        if (selects) {
            obeyed.add(filter(source, SELECTOR, SELECTOR_SYMBOL));
        }
        if (noLocal) {
            obeyed.add(filter(source, NO_LOCAL, NO_LOCAL_SYMBOL));
        }
        Map<Symbol, Object> applied = new HashMap<>(source.getFilter());
        applied.values().retainAll(obeyed);
        return applied;
    }

    /** Those of a stored subscription; null if there are none. */
    public static Map<Symbol, Object> of(Subscription subscription) {
        Map<Symbol, Object> filters = new HashMap<>();
        if (subscription.selector() != null) {
            filters.put(
                    SELECTOR_SYMBOL,
                    new UnknownDescribedType(SELECTOR, subscription.selector().text()));
        }
        if (subscription.noLocal()) {
            filters.put(NO_LOCAL_SYMBOL, new UnknownDescribedType(NO_LOCAL, List.of()));
        }
        return filters.isEmpty() ? null : filters;
    }

    /** Null if there is none of that descriptor. @param code null if it has none */
    private static DescribedType filter(Source source, UnsignedLong code, Symbol symbol) {
        Map<Symbol, Object> filters = source.getFilter();
        if (filters != null) {
            for (Object filter : filters.values()) {
                if (filter instanceof DescribedType described
                        && (symbol.equals(described.getDescriptor())
                                || code != null && code.equals(described.getDescriptor()))) {
                    return described;
                }
            }
        }
        return null;
    }
}
