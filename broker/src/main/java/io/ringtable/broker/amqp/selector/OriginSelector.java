package io.ringtable.broker.amqp.selector;

import io.ringtable.broker.access.OriginRights;
import io.ringtable.broker.amqp.encoding.DeadLetterOrigin;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.message.Message;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lets a consumer of a dead-letter or expiry queue have what its user may read, and of that what its own selector
 * wants.
 * <p>
 * Thread: any.
 */
public final class OriginSelector implements Selector {
    /** The most origins whose answers are kept. */
    private static final int ORIGINS_KEPT = 1_000;

    private final OriginRights rights;
    private final Selector selector; // null = every message
    private final Map<String, Boolean> permitted = new ConcurrentHashMap<>(); // by origin

    /** @param selector of the consumer; null = every message */
    public OriginSelector(OriginRights rights, Selector selector) {
        this.rights = rights;
        this.selector = selector;
    }

    @Override
    public String text() {
        return selector == null ? "" : selector.text();
    }

    @Override
    public boolean matches(Message message) {
        return isPermitted(DeadLetterOrigin.of(message.encoded())) && (selector == null || selector.matches(message));
    }

    private boolean isPermitted(String origin) {
        if (origin == null) {
            return rights.permits(null);
        }
        Boolean known = permitted.get(origin);
        if (known == null) {
            if (permitted.size() >= ORIGINS_KEPT) {
                permitted.clear();
            }
            known = rights.permits(origin);
            permitted.put(origin, known);
        }
        return known;
    }
}
