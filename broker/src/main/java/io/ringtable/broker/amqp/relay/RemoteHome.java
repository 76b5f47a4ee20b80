package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;

/**
 * Says where a shard is that another node owns.
 *
 * @param shard its number
 * @param node id of the owner
 * @param description of the owner, for people
 * @param url where the owner takes connections; null if it is not known
 */
public record RemoteHome(int shard, String node, String description, String url) {
    /** Says where an address is; null if this node has any of it, or no other one is seen that does. */
    public static RemoteHome of(Shard shard, NodeName node) {
        Address address = shard.lookup().find(node.name());
        if (address == null) {
            return of(shard.elsewhere(node.name()));
        }
        return !node.matches(address) || shard.homesOf(address).size() > 1 ? null : of(shard.homeOf(address));
    }

    /** Says where messages for an address go, if another node takes them: those of one that moves to its next home. */
    public static RemoteHome ofPublished(Shard shard, NodeName node) {
        Address address =
                shard.moveOf(node.name()) == null ? null : shard.lookup().find(node.name());
        return address != null && node.matches(address) ? of(shard.homeOf(address)) : of(shard, node);
    }

    /** Says where a home is; null if this node has it, or no other one is seen that does. */
    public static RemoteHome of(Home home) {
        Home.Owner owner = home == null ? null : home.elsewhere();
        return owner == null ? null : new RemoteHome(home.number(), owner.nodeId(), owner.description(), owner.url());
    }

    /** Tells whether connections to the owner use TLS. */
    boolean isSecure() {
        return url != null && url.startsWith("amqps://");
    }

    /** Names shard and owner for people. */
    @Override
    public String toString() {
        return "shard " + shard + " of node '" + description + "'" + (url == null ? "" : " at " + url);
    }
}
