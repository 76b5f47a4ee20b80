package io.ringtable.client.internal.connection;

import io.ringtable.client.Address;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.wire.RingtableSymbols;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnknownDescribedType;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;

/** Makes sources and targets as JMS clients do (AMQP 1.0 section 3.5), so that any broker for JMS understands them. */
public final class Termini {

    private static final Symbol QUEUE = Symbol.valueOf("queue");
    private static final Symbol TOPIC = Symbol.valueOf("topic");
    private static final Symbol COPY = Symbol.valueOf("copy");
    private static final Symbol SINCE_KEY = Symbol.valueOf("since");
    private static final Symbol SHARED = Symbol.valueOf("shared");
    private static final Symbol GLOBAL = Symbol.valueOf("global");
    private static final Symbol SELECTOR_KEY = Symbol.valueOf("jms-selector");
    private static final Symbol SELECTOR_DESCRIPTOR = Symbol.valueOf("apache.org:selector-filter:string");
    private static final Symbol[] OUTCOMES = {
        Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL, Released.DESCRIPTOR_SYMBOL, Modified.DESCRIPTOR_SYMBOL
    };

    /** The outcome of messages that a lost client leaves behind: they may have failed there. */
    public static final Modified FAILED = new Modified().setDeliveryFailed(true);

    private Termini() {}

    public static Target target(Address address) {
        return new Target().setAddress(address.name()).setCapabilities(capability(address));
    }

    public static Source source(SubscriptionOptions options) {
        boolean durable = options.durableName().isPresent();
        Source source = new Source()
                .setAddress(options.address().name())
                .setCapabilities(capabilities(options))
                .setOutcomes(OUTCOMES)
                .setDefaultOutcome(FAILED)
                .setDurable(durable ? TerminusDurability.UNSETTLED_STATE : TerminusDurability.NONE)
                .setExpiryPolicy(durable ? TerminusExpiryPolicy.NEVER : TerminusExpiryPolicy.LINK_DETACH);
        Map<Symbol, Object> filters = new HashMap<>();
        options.since()
                .ifPresent(time ->
                        filters.put(SINCE_KEY, new UnknownDescribedType(RingtableSymbols.SINCE, Date.from(time))));
        options.selector()
                .ifPresent(text -> filters.put(SELECTOR_KEY, new UnknownDescribedType(SELECTOR_DESCRIPTOR, text)));
        if (!filters.isEmpty()) {
            source.setFilter(filters);
        }
        return durable ? source.setDistributionMode(COPY) : source;
    }

    /** Has a shared subscription belong to no container, so that receivers of any client name it. */
    private static Symbol[] capabilities(SubscriptionOptions options) {
        Symbol kind = capability(options.address());
        return options.isShared() ? new Symbol[] {kind, SHARED, GLOBAL} : new Symbol[] {kind};
    }

    /** Returns the capabilities by which a shared subscription is looked up. */
    public static Symbol[] sharedByAll() {
        return new Symbol[] {SHARED, GLOBAL};
    }

    private static Symbol capability(Address address) {
        return address.kind() == Address.Kind.QUEUE ? QUEUE : TOPIC;
    }
}
