package io.ringtable.broker.shard;

import io.ringtable.broker.agent.AgentRunner;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.LongestTurn;
import io.ringtable.broker.agent.ThreadNames;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.commit.CommitSettings;
import io.ringtable.broker.commit.Committer;
import io.ringtable.broker.commit.FlushDelays;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.dispatch.Dispatcher;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.dispatch.redelivery.StuckAddress;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.inbox.InboxCollector;
import io.ringtable.broker.inbox.SharedLooks;
import io.ringtable.broker.inspect.Inspector;
import io.ringtable.broker.job.JobDoors;
import io.ringtable.broker.job.Jobs;
import io.ringtable.broker.job.SettingRecords;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.overflow.StagerMailbox;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.recovery.RecoveredShard;
import io.ringtable.broker.recovery.Recovery;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.CommitterDoors;
import io.ringtable.broker.work.CommitterMailbox;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one shard that this node owns: recovered from its tables, with its committer and its dispatcher.
 * <p>
 * Thread: any starts and closes it. Failure: the first failure of an agent goes to {@code onStopped}, on that agent's
 * thread. The shard must then be closed, and may restart from the tables.
 */
public final class RunningShard implements Shard, Home, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningShard.class);
    private static final long QUIESCE_SECONDS = 10;

    private final Committer committer;
    private final Dispatcher dispatcher;
    private final DispatcherMailbox mailbox; // the dispatcher's
    private final AgentRunner committerRunner;
    private final AgentRunner dispatcherRunner;
    private final ShardInbox inbox;
    private final Jobs jobs;
    private final AgentRunner jobsRunner;
    private final CurrentPolicies policies;
    private final ShardPolicies shardPolicies;
    private final CommitterDoors doors;
    private final RingState state;
    private final Lease lease;
    private final MessageTraces traces;
    private final Optional<DeliveryKey> deliveryKey;
    private final Inspector inspector;
    private final int duplicateIds;
    private final ShardReport report;
    private final ShardEnd end;
    private final int number;
    private volatile Shard node = this; // written by the starter, before an agent runs

    /**
     * Recovers the shard, which does nothing before {@link OwnedShards} lets it begin.
     *
     * @param parts what the process gives to each of its shards
     * @param number of the shard, from 0
     * @param policies of all shards; the first shard adds those that administrators set
     * @param store of this shard
     * @param epoch under which this node owns the shard
     * @param lease until when this node may answer for the shard
     * @param onStopped hears of the first failure of an agent
     */
    public RunningShard(
            ShardParts parts,
            int number,
            CurrentPolicies policies,
            RingStore store,
            long epoch,
            Lease lease,
            Consumer<ShardStopped> onStopped) {
        this.number = number;
        this.lease = lease;
        this.traces = parts.traces();
        this.duplicateIds = parts.commit().duplicateIds();
        this.policies = policies;
        this.end = new ShardEnd(lease, onStopped);
        CommitMonitor monitor = parts.commits(number);
        Doorbell committerBell = new Doorbell();
        Doorbell dispatcherBell = new Doorbell();
        this.dispatcher = new Dispatcher(
                parts.dispatch(),
                parts.policies(),
                Dispatcher.SLICE_STEPS,
                dispatcherBell,
                parts.format(),
                System::currentTimeMillis,
                lease);
        this.deliveryKey = store.keepDeliveryKey(DeliveryKey.random());
        CommitProperties commit = parts.commit();
        RecoveredShard recovered = new Recovery(
                        store,
                        dispatcher,
                        parts.selectors(),
                        () -> new AddressQuota(
                                commit.quotaMessages(), commit.quotaBytes().toBytes()))
                .recover(epoch);
        this.state = recovered.state();
        this.committer = new Committer(
                new CommitSettings(parts.commit(), policies, policies::retention, FlushDelays.USUAL),
                System::currentTimeMillis,
                store,
                state,
                recovered.deduplicator(),
                new Reconciler(store, parts.node(), lease, monitor, end::isClosing),
                lease,
                dispatcher,
                monitor,
                committerBell);
        this.doors = committer.doors();
        dispatcher.begin(number, doors, store, epoch, state.ring().gate());
        this.mailbox = dispatcher.mailbox();
        this.report = new ShardReport(state, lease, dispatcher, committer, recovered.deduplicator());
        this.inspector = new Inspector(
                doors,
                () -> node,
                store,
                dispatcher.explainer(),
                dispatcher.removals(),
                dispatcher.volatileMessages(),
                state.ring(),
                state.flushes(),
                parts.format(),
                parts.selectors(),
                parts.codec(),
                System::currentTimeMillis,
                ThreadNames.of("inspector", number));
        this.shardPolicies = new ShardPolicies(policies, number == 0, committer, dispatcher);
        if (number == 0) {
            shardPolicies.follow(state.catalog().settings());
        } else {
            shardPolicies.followFirst();
        }
        this.dispatcherRunner =
                new AgentRunner(dispatcher, number, dispatcherBell, monitor.dispatcherTurn(), end::agentFailed);
        this.committerRunner =
                new AgentRunner(committer, number, committerBell, monitor.committerTurn(), this::committerFailed);
        Doorbell collectorBell = new Doorbell();
        SharedLooks looks = parts.looks().apply(number);
        InboxCollector collector = new InboxCollector(
                parts.inbox(),
                store,
                doors,
                new NodeInbox(number, () -> node, store, state::epoch, parts.inboxEncoder()),
                parts.inboxEncoder(),
                policies.now().others().deadLetterQueue(),
                looks,
                monitor,
                collectorBell,
                System::currentTimeMillis,
                System::nanoTime);
        this.inbox = new ShardInbox(
                number,
                parts.inbox().isProbed() && deliveryKey.isPresent(),
                collector,
                collectorBell,
                looks,
                parts.crossings().apply(number),
                store,
                state::epoch,
                end::agentFailed);
        Doorbell jobsBell = new Doorbell();
        JobDoors jobDoors = new JobDoors(
                this,
                this,
                name -> node.lookup().find(name),
                parts.format(),
                parts.selectors(),
                () -> state.ring().next(),
                System::currentTimeMillis,
                System::nanoTime);
        this.jobs = new Jobs(
                jobDoors, new SettingRecords(doors.lookup(), doors.catalog(), System::currentTimeMillis), jobsBell);
        this.jobsRunner = new AgentRunner(jobs, number, jobsBell, new LongestTurn(), end::agentFailed);
    }

    /**
     * Starts the agents that clients need. If that fails, for want of memory for another thread, the caller gives all
     * shards up.
     *
     * @param itsNode all shards of the node, to which this one belongs
     * @param onQueue hears, on any thread, the name of each queue that policies need and that is there
     */
    void begin(Shard itsNode, Consumer<String> onQueue) {
        node = itsNode;
        dispatcherRunner.start();
        committerRunner.start();
        shardPolicies.createQueues(onQueue);
    }

    /** Starts the agents that publish and consume by themselves, once all shards have begun. */
    void work() {
        inbox.start();
        jobsRunner.start();
    }

    /** Ends what runs, of a shard that never served anybody. The owner of the shard hears of nothing. */
    void giveUp() {
        end.notBegun();
        close();
    }

    private void committerFailed(Throwable failure) {
        try {
            committer.end(
                    new Refusal(Refusal.Reason.UNAVAILABLE, "RT-2106", "the shard stopped: " + failure.getMessage()));
        } finally {
            end.agentFailed(failure);
        }
    }

    @Override
    public CatalogMailbox catalog() {
        return doors.catalog();
    }

    @Override
    public CatalogLookup lookup() {
        return doors.lookup();
    }

    @Override
    public CommitterMailbox committer() {
        return doors.committer();
    }

    @Override
    public StagerMailbox stager() {
        return doors.stager();
    }

    @Override
    public BodyIds bodyIds() {
        return doors.bodyIds();
    }

    @Override
    public DispatcherMailbox dispatcher() {
        return mailbox;
    }

    @Override
    public CurrentPolicies policies() {
        return policies;
    }

    @Override
    public MessageTraces traces() {
        return traces;
    }

    @Override
    public Lease lease() {
        return lease;
    }

    @Override
    public int duplicateIds() {
        return duplicateIds;
    }

    @Override
    public Optional<DeliveryKey> deliveryKey() {
        return deliveryKey;
    }

    @Override
    public Home homeOf(Address address) {
        return this;
    }

    @Override
    public Parts partsOf(Address address) {
        return node == this ? null : node.partsOf(address);
    }

    @Override
    public void collectNow(int shard) {
        inbox.lookNow();
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public boolean isOver() {
        return end.isOver() || end.isClosing();
    }

    /** Says for people and metrics how the shard stands. Thread: any. */
    public BrokerStatus.Shard status() {
        return report.now();
    }

    /** Counts what the shard has done since this node took it. Thread: any. */
    BrokerStatus.Traffic traffic() {
        return new BrokerStatus.Traffic(
                number, state.ring().next(), dispatcher.counters().delivered());
    }

    /** Returns the number of this period of owning the shard, which a change of the database may raise. Thread: any. */
    public long epoch() {
        return state.epoch();
    }

    /** Returns why the collector collects nothing from the inbox now; null while it collects. Thread: any. */
    public String inboxTrouble() {
        return inbox.trouble();
    }

    /** Returns what answers questions about single messages. Thread: any. */
    public Inspector inspector() {
        return inspector;
    }

    /** Returns the jobs of the shard. Thread: any. */
    public Jobs jobs() {
        return jobs;
    }

    /** Returns what there is in the shard. Thread: any, to read. */
    public Catalog entries() {
        return committer.entries();
    }

    /** Returns the addresses whose messages cannot move to the queue that their policy names. Thread: any. */
    public List<StuckAddress> stuckAddresses() {
        return dispatcher.stuckAddresses();
    }

    /**
     * Sends the last flush and the last outcomes, then ends the agents. Clients are gone by now: what they gave back is
     * on its way through the dispatcher.
     */
    @Override
    public void close() {
        shardPolicies.forget();
        inspector.close();
        jobsRunner.close(); // first: what is on its way needs all the others
        inbox.stop();
        quiesceDispatcher();
        end.close();
        committerRunner.close();
        quiesceDispatcher();
        dispatcherRunner.close();
        inbox.close(); // last: it may wait for a store that is away
    }

    private void quiesceDispatcher() {
        if (end.isOver()) {
            return;
        }
        CountDownLatch passed = new CountDownLatch(1);
        dispatcher.afterPresent(passed::countDown);
        try {
            if (!passed.await(QUIESCE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the dispatcher did not come to rest within {} s", QUIESCE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
