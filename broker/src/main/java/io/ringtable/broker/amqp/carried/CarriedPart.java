package io.ringtable.broker.amqp.carried;

import io.ringtable.wire.RingtableSymbols;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * Says to which part of an address a publisher's link goes that another node carries: property {@code ringtable:part}
 * of its attach. That node chooses the part of each message (ADR 81).
 */
public final class CarriedPart {
    /** Means that the other node knows of no parts, and would choose among them if there were any. */
    public static final int WHOLE = -1;

    private static final int UNTOLD = -2;

    private CarriedPart() {}

    /** Returns the number of the shard, or {@link #WHOLE}, or another negative number if the attach says nothing. */
    public static int of(Link<?> link) {
        Map<Symbol, Object> properties = link.getRemoteProperties();
        Object said = properties == null ? null : properties.get(RingtableSymbols.PART);
        return said instanceof Integer number && number >= WHOLE ? number : UNTOLD;
    }
}
