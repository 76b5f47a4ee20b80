package io.ringtable.broker;

import io.ringtable.broker.access.AccessControl;
import io.ringtable.broker.amqp.AmqpServer;
import io.ringtable.broker.amqp.OpenConnections;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.management.RequestRelay;
import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.cluster.Cluster;
import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.redelivery.StuckAddress;
import io.ringtable.broker.inspect.Inspector;
import io.ringtable.broker.management.Management;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementRequest;
import io.ringtable.broker.management.NodeRequests;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.management.operations.AccessOperations;
import io.ringtable.broker.management.operations.AddressOperations;
import io.ringtable.broker.management.operations.BrokerOperations;
import io.ringtable.broker.management.operations.ConnectionOperations;
import io.ringtable.broker.management.operations.JobOperations;
import io.ringtable.broker.management.operations.ManagedConnections;
import io.ringtable.broker.management.operations.ManagedJobs;
import io.ringtable.broker.management.operations.ManagedShard;
import io.ringtable.broker.management.operations.MessageOperations;
import io.ringtable.broker.management.operations.NodeOperations;
import io.ringtable.broker.management.operations.PolicyOperations;
import io.ringtable.broker.management.operations.ProducerOperations;
import io.ringtable.broker.management.operations.ShardOperations;
import io.ringtable.broker.management.operations.StatusOperations;
import io.ringtable.broker.management.operations.SubscriptionOperations;
import io.ringtable.broker.management.operations.UserOperations;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.setting.access.RuntimeAccess;
import io.ringtable.broker.shard.OwnedShards;
import io.ringtable.broker.shard.RunningShard;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Ties the operations of administrators to the broker. Thread: any. */
final class BrokerManagement {
    private final RingtableBroker broker;
    private final Housekeeper housekeeper;
    private final Management management;
    private final Cluster cluster; // null where there are no other nodes

    /**
     * @param broker that the operations speak of; it may be asked once it is made
     * @param quotaBytes most bytes owed on an address where no policy says otherwise
     * @param cluster knows the other nodes; null where there are none
     */
    BrokerManagement(
            RingtableBroker broker,
            Housekeeper housekeeper,
            AccessControl access,
            RuntimeAccess runtimeAccess,
            long quotaBytes,
            Cluster cluster) {
        this.broker = broker;
        this.cluster = cluster;
        this.housekeeper = housekeeper;
        List<Operation> operations = Stream.of(
                        new BrokerOperations(this::operations, version()).operations(),
                        new StatusOperations(broker::status, broker::inboxTrouble, () -> traffic(broker.amqpCounters()))
                                .operations(),
                        new ShardOperations(broker::status, broker::storeOf, broker::moveShard).operations(),
                        new NodeOperations(broker::status, id -> cluster == null ? null : cluster.shardsKnownBy(id))
                                .operations(),
                        new AddressOperations(
                                        this::shard, cluster == null ? AddressOperations.Bringer.NONE : new Brought())
                                .operations(),
                        new SubscriptionOperations(this::shard).operations(),
                        new MessageOperations(this::shard).operations(),
                        new JobOperations(this::shard).operations(),
                        new PolicyOperations(this::shard, quotaBytes).operations(),
                        new UserOperations(this::shard, runtimeAccess).operations(),
                        new AccessOperations(this::shard, runtimeAccess).operations(),
                        new ConnectionOperations(this::connections).operations(),
                        new ProducerOperations(this::shard).operations())
                .flatMap(List::stream)
                .toList();
        this.management = new Management(operations, access, cluster == null ? null : new Others());
    }

    Management management() {
        return management;
    }

    private static StatusOperations.Traffic traffic(AmqpCounters counted) {
        return new StatusOperations.Traffic(
                counted.connections.sum(),
                counted.messagesIn.sum(),
                counted.messagesOut.sum(),
                counted.bytesIn.sum(),
                counted.bytesOut.sum());
    }

    private List<Operation> operations() {
        return management.operations();
    }

    static String version() {
        String packaged = RingtableBroker.class.getPackage().getImplementationVersion();
        return packaged == null ? "(not packaged)" : packaged;
    }

    /** @throws Refusal.Refused while this node does not own the shard */
    private ManagedShard shard() {
        OwnedShards owned = housekeeper.shards();
        if (owned == null || owned.lease().isOver()) {
            throw notServing();
        }
        return new Managed(owned, housekeeper.amqp());
    }

    /** Asks other nodes over the relays of the AMQP server. */
    private final class Others implements NodeRequests {
        @Override
        public Owner ownerOf(int shard) {
            OwnedShards owned = housekeeper.shards();
            RequestRelay relay = relay();
            boolean mayBeElsewhere = owned != null && relay != null && shard >= 0 && shard < owned.count();
            Home.Owner owner = mayBeElsewhere && owned.running(shard) == null ? cluster.ownerOf(shard) : null;
            Owner other = owner == null ? null : new Owner(owner.nodeId(), owner.description(), owner.url());
            return other != null && relay.mayAsk(home(other, shard)) ? other : null;
        }

        private RequestRelay relay() {
            AmqpServer server = housekeeper.amqp();
            return server == null ? null : server.requests();
        }

        private static RemoteHome home(Owner owner, int shard) {
            return new RemoteHome(shard, owner.node(), owner.description(), owner.url());
        }

        @Override
        public CompletionStage<Void> refresh() {
            OwnedShards owned = housekeeper.shards();
            return owned == null
                    ? CompletableFuture.completedFuture(null)
                    : owned.doors().refresh();
        }

        @Override
        public CompletionStage<Void> follow() {
            return cluster.lookNow();
        }

        @Override
        public CompletionStage<ManagementAnswer> ask(Owner node, int shard, ManagementRequest request, long waitMs) {
            RequestRelay relay = relay();
            return relay == null
                    ? CompletableFuture.completedFuture(NodeRequests.nothingDone("this node stops"))
                    : relay.ask(home(node, shard), request, waitMs);
        }
    }

    /** Has shards of other nodes come by handovers of the cluster. */
    private final class Brought implements AddressOperations.Bringer {
        @Override
        public CompletionStage<Runnable> bring(AddressMove move) {
            return cluster.bring(move);
        }

        @Override
        public AddressMove waiting(String address) {
            return cluster.waiting(address);
        }

        @Override
        public String waitsFor(String address) {
            return cluster.waitsFor(address);
        }
    }

    /** @throws Refusal.Refused while this node serves no clients */
    private ManagedConnections connections() {
        OpenConnections open = broker.connections();
        if (open == null) {
            throw notServing();
        }
        return new ServedConnections(open);
    }

    private Refusal.Refused notServing() {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.UNAVAILABLE,
                "RT-7710",
                "this node does not serve the shard now (" + housekeeper.state().text()
                        + "): ask the node that owns it, or try again"));
    }

    /** @param amqp null while nobody is served */
    private record Managed(OwnedShards owned, AmqpServer amqp) implements ManagedShard {
        @Override
        public Shard doors() {
            return owned.doors();
        }

        @Override
        public Collection<AddressEntry> entries() {
            return owned.catalogs().stream()
                    .flatMap(catalog -> catalog.entries().stream())
                    .toList();
        }

        @Override
        public List<AddressEntry> parts(String name) {
            return owned.catalogs().stream()
                    .map(catalog -> catalog.byName(name))
                    .filter(Objects::nonNull)
                    .toList();
        }

        @Override
        public CatalogMailbox catalog(int shard) {
            RunningShard running = owned.running(shard);
            if (running == null) {
                throw new Refusal.Refused(owned.away(shard));
            }
            return running.catalog();
        }

        @Override
        public ManagedJobs jobs() {
            return new ManagedJobs(
                    owned.count(),
                    owned.running().stream().collect(Collectors.toMap(RunningShard::number, RunningShard::jobs)),
                    owned::away);
        }

        @Override
        public int links(Address address) {
            return amqp == null ? 0 : amqp.links(address);
        }

        @Override
        public Inspector inspector(int shard) {
            if (shard >= owned.count()) {
                throw new Refusal.Refused(new Refusal(
                        Refusal.Reason.NOT_FOUND,
                        "RT-7716",
                        "there is no shard " + shard + ": this node has 0 to " + (owned.count() - 1)));
            }
            RunningShard running = owned.running(shard);
            if (running == null) {
                throw new Refusal.Refused(owned.away(shard));
            }
            return running.inspector();
        }

        @Override
        public int shards() {
            return owned.count();
        }

        @Override
        public List<StuckAddress> stuckAddresses() {
            return owned.running().stream()
                    .flatMap(shard -> shard.stuckAddresses().stream())
                    .toList();
        }
    }
}
