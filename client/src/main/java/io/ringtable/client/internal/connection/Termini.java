package io.ringtable.client.internal.connection;

import io.ringtable.client.Address;
import io.ringtable.wire.RingtableSymbols;
import java.time.Instant;
import java.util.Date;
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
    private static final Symbol[] OUTCOMES = {
        Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL, Released.DESCRIPTOR_SYMBOL, Modified.DESCRIPTOR_SYMBOL
    };

    /** The outcome of messages that a lost client leaves behind: they may have failed there. */
    public static final Modified FAILED = new Modified().setDeliveryFailed(true);

    private Termini() {}

    public static Target target(Address address) {
        return new Target().setAddress(address.name()).setCapabilities(capability(address));
    }

    /** @param since when a durable subscription begins; null = when it is created */
    public static Source source(Address address, boolean durable, Instant since) {
        Source source = new Source()
                .setAddress(address.name())
                .setCapabilities(capability(address))
                .setOutcomes(OUTCOMES)
                .setDefaultOutcome(FAILED)
                .setDurable(durable ? TerminusDurability.UNSETTLED_STATE : TerminusDurability.NONE)
                .setExpiryPolicy(durable ? TerminusExpiryPolicy.NEVER : TerminusExpiryPolicy.LINK_DETACH);
        if (since != null) {
            source.setFilter(Map.of(SINCE_KEY, new UnknownDescribedType(RingtableSymbols.SINCE, Date.from(since))));
        }
        return durable ? source.setDistributionMode(COPY) : source;
    }

    private static Symbol capability(Address address) {
        return address.kind() == Address.Kind.QUEUE ? QUEUE : TOPIC;
    }
}
