package io.ringtable.broker.amqp.carried;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.wire.RingtableSymbols;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Says in a detach that the owner has answered all of the link, and which node takes the shard over (ADR 70).
 *
 * @param shard its number
 * @param node id of the next owner
 * @param description of the next owner, for people
 * @param url where the next owner takes connections; null if it is not known
 */
public record HandedOver(int shard, String node, String description, String url) {
    private static final Symbol SHARD = Symbol.valueOf("shard");
    private static final Symbol NODE = Symbol.valueOf("node");
    private static final Symbol DESCRIPTION = Symbol.valueOf("description");
    private static final Symbol URL = Symbol.valueOf("url");

    /** Reads the condition of a detach; null if it says something else. */
    public static HandedOver of(ErrorCondition condition) {
        if (condition == null || !RingtableSymbols.HANDED_OVER.equals(condition.getCondition())) {
            return null;
        }
        Map<?, ?> info = condition.getInfo();
        return info != null
                        && info.get(SHARD) instanceof Integer shard
                        && info.get(NODE) instanceof String node
                        && info.get(DESCRIPTION) instanceof String description
                ? new HandedOver(shard, node, description, info.get(URL) instanceof String url ? url : null)
                : null;
    }

    /** Returns the condition that says the same: what {@link #of} reads. */
    public ErrorCondition condition() {
        Map<Symbol, Object> info = new HashMap<>();
        info.put(SHARD, shard);
        info.put(NODE, node);
        info.put(DESCRIPTION, description);
        if (url != null) {
            info.put(URL, url);
        }
        return Conditions.of(
                RingtableSymbols.HANDED_OVER,
                "RT-4614 node '" + description + "' takes shard " + shard + " over: attach there",
                info);
    }
}
