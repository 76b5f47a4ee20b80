package io.ringtable.broker;

import io.ringtable.broker.agent.AgentRunner;
import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.agent.LongestTurn;
import io.ringtable.broker.agent.RetriedAgent;
import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.RetainedMessages;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.commit.CommitSettings;
import io.ringtable.broker.commit.Committer;
import io.ringtable.broker.commit.FlushDelays;
import io.ringtable.broker.commit.TracedCommits;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.deduplication.Deduplicator;
import io.ringtable.broker.dispatch.Dispatcher;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.dispatch.redelivery.StuckAddress;
import io.ringtable.broker.dispatch.subscription.DispatchCounters;
import io.ringtable.broker.dispatch.subscription.ParkedSubscription;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.inbox.InboxCollector;
import io.ringtable.broker.inbox.InboxEncoder;
import io.ringtable.broker.inspect.Inspector;
import io.ringtable.broker.inspect.MessageCodec;
import io.ringtable.broker.job.JobDoors;
import io.ringtable.broker.job.Jobs;
import io.ringtable.broker.job.SettingRecords;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.overflow.BodyIds;
import io.ringtable.broker.overflow.StagerMailbox;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.recovery.RecoveredShard;
import io.ringtable.broker.recovery.Recovery;
import io.ringtable.broker.ring.Ring;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.setting.policy.RuntimePolicies;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.CommitterDoors;
import io.ringtable.broker.work.CommitterMailbox;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one shard that this node owns: recovered from its tables, with its committer and its dispatcher.
 * <p>
 * Thread: any starts and closes it. Failure: the first failure of an agent goes to {@code onStopped}, on that agent's
 * thread. The shard must then be closed, and may restart from the tables.
 * <p>Longer than others, because it is the one place that ties all parts of a shard together.
 */
final class RunningShard implements Shard, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningShard.class);
    private static final long QUIESCE_SECONDS = 10;

    private final Committer committer;
    private final Dispatcher dispatcher;
    private final DispatcherMailbox mailbox; // the dispatcher's
    private final AgentRunner committerRunner;
    private final AgentRunner dispatcherRunner;
    private final InboxCollector collector;
    private final RetriedAgent collecting;
    private final AgentRunner collectorRunner; // null where no application has an inbox, or if it is switched off
    private final CurrentPolicies policies;
    private final RuntimePolicies runtimePolicies;
    private final Jobs jobs;
    private final AgentRunner jobsRunner;
    private final CommitterDoors doors;
    private final RingState state;
    private final Deduplicator deduplicator;
    private final Lease lease;
    private final MessageTraces traces;
    private final Optional<DeliveryKey> deliveryKey;
    private final Inspector inspector;
    private final int duplicateIds;
    private final Consumer<ShardStopped> onStopped;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private volatile boolean closing;

    /**
     * Recovers the shard and starts its agents.
     *
     * @param epoch under which this node owns the shard
     * @param lease until when this node may answer for the shard
     */
    RunningShard(
            RingStore store,
            ShardSettings settings,
            Reconciler.Node node,
            long epoch,
            Lease lease,
            MessageFormat format,
            InboxEncoder inboxEncoder,
            Selector.Compiler selectors,
            MessageCodec codec,
            CommitMonitor meters,
            MessageTraces traces,
            Consumer<ShardStopped> onStopped) {
        CommitMonitor monitor = traces.isOn() ? new TracedCommits(meters, traces) : meters;
        this.traces = traces;
        this.onStopped = onStopped;
        this.lease = lease;
        Doorbell committerBell = new Doorbell();
        Doorbell dispatcherBell = new Doorbell();
        this.policies = new CurrentPolicies(settings.policies());
        this.runtimePolicies = new RuntimePolicies(policies);
        this.duplicateIds = settings.commit().duplicateIds();
        this.dispatcher = new Dispatcher(
                settings.dispatch(),
                settings.policies(),
                Dispatcher.SLICE_STEPS,
                dispatcherBell,
                format,
                System::currentTimeMillis,
                lease);
        this.deliveryKey = store.keepDeliveryKey(DeliveryKey.random());
        RecoveredShard recovered = new Recovery(store, dispatcher, selectors).recover(epoch);
        this.state = recovered.state();
        this.deduplicator = recovered.deduplicator();
        Reconciler reconciler = new Reconciler(store, node, lease, monitor, () -> closing);
        this.committer = new Committer(
                new CommitSettings(settings.commit(), policies, policies::retention, FlushDelays.USUAL),
                System::currentTimeMillis,
                store,
                state,
                deduplicator,
                reconciler,
                lease,
                dispatcher,
                monitor,
                committerBell);
        this.doors = committer.doors();
        dispatcher.begin(doors, store, epoch, state.ring().gate());
        this.mailbox = dispatcher.mailbox();
        this.inspector = new Inspector(
                doors,
                store,
                dispatcher.explainer(),
                dispatcher.removals(),
                dispatcher.volatileMessages(),
                state.ring(),
                format,
                selectors,
                codec,
                System::currentTimeMillis);
        policies.now().declared().forEach(this::checkDeclared);
        applyPolicies();
        state.catalog().settings().listen(SettingKind.POLICY, this::policiesChanged);
        this.dispatcherRunner =
                new AgentRunner(dispatcher, dispatcherBell, monitor.dispatcherTurn(), this::agentFailed);
        this.committerRunner =
                new AgentRunner(committer, committerBell, monitor.committerTurn(), this::committerFailed);
        Doorbell collectorBell = new Doorbell();
        this.collector = new InboxCollector(
                settings.inbox(),
                store,
                doors,
                inboxEncoder,
                policies.now().others().deadLetterQueue(),
                monitor,
                collectorBell,
                System::currentTimeMillis,
                System::nanoTime);
        this.collecting = new RetriedAgent(collector, System::nanoTime);
        this.collectorRunner = settings.inbox().isProbed() && deliveryKey.isPresent()
                ? new AgentRunner(collecting, collectorBell, new LongestTurn(), this::agentFailed)
                : null;
        Doorbell jobsBell = new Doorbell();
        JobDoors jobDoors = new JobDoors(
                this, format, selectors, () -> state.ring().next(), System::currentTimeMillis, System::nanoTime);
        this.jobs = new Jobs(
                jobDoors, new SettingRecords(doors.lookup(), doors.catalog(), System::currentTimeMillis), jobsBell);
        this.jobsRunner = new AgentRunner(jobs, jobsBell, new LongestTurn(), this::agentFailed);
        start();
    }

    private void start() {
        try {
            dispatcherRunner.start();
            committerRunner.start();
            policies.now().declared().forEach(this::declare);
            policies.now().destinations().forEach(this::reserve);
            if (collectorRunner != null) {
                collectorRunner.start();
            }
            jobsRunner.start();
        } catch (Throwable failure) { // no memory for another thread: end those that run already
            stopped.set(true);
            close();
            throw failure;
        }
    }

    /** Makes the stored policies count, also for the subscriptions that exist. */
    private void applyPolicies() {
        runtimePolicies.apply(lookup().settings(SettingKind.POLICY));
        dispatcher.policies(policies.now());
    }

    /** Hears of a policy that an administrator set or deleted. Thread: committer. */
    private void policiesChanged() {
        applyPolicies();
        committer.policiesChanged();
        policies.now().destinations().forEach(this::reserve);
    }

    private void checkDeclared(String name, AddressKind kind) {
        Address existing = lookup().find(name);
        if (existing != null && existing.kind() != kind) {
            throw new ConfigurationRefused(
                    "RT-1040",
                    "ringtable." + kind.name().toLowerCase(Locale.ROOT) + "s has '" + name + "', and " + existing
                            + " is stored: declare it under its stored kind, or use another name");
        }
    }

    /**
     * Asks for a declared address. Requests take place in order, so the address exists before the first client asks.
     */
    private void declare(String name, AddressKind kind) {
        catalog().ensure(name, kind).whenComplete((made, refused) -> {
            if (refused != null) {
                LOG.warn(
                        "RT-2022 '{}' cannot be created now, only when a client names it: {}",
                        name,
                        refused.getMessage());
            }
        });
    }

    /**
     * Creates a queue that policies need. A stored topic of the same name does not stop the start: messages for the
     * queue rest at their own address instead.
     */
    private void reserve(String name) {
        Address existing = lookup().find(name);
        if (existing == null) {
            declare(name, AddressKind.QUEUE);
        } else if (!existing.isQueue()) {
            LOG.error(
                    "RT-2345 {} is stored, but policies move messages to a queue of that name: they rest where they are"
                            + " until the topic is deleted, or ringtable.dispatch names another queue",
                    existing);
        }
    }

    private void committerFailed(Throwable failure) {
        try {
            committer.end(
                    new Refusal(Refusal.Reason.UNAVAILABLE, "RT-2106", "the shard stopped: " + failure.getMessage()));
        } finally {
            agentFailed(failure);
        }
    }

    private void agentFailed(Throwable failure) {
        ShardStopped reason = failure instanceof ShardStopped known
                ? known
                : new ShardStopped(ShardStopped.Next.FAIL, "RT-2107 an agent failed: " + failure, failure);
        if (reason.next() == ShardStopped.Next.STAND_BY) {
            lease.end(); // another node has the shard: not even a farewell may leave
        }
        if (!stopped.compareAndSet(false, true)) {
            return;
        }
        if (closing) {
            LOG.warn("RT-2112 the shard closed without its last flush: settled messages come again, flagged", failure);
        } else {
            onStopped.accept(reason); // before the log, since logging may fail as well
            LOG.error("the shard stops: {}", reason.getMessage(), reason.getCause());
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

    BrokerStatus.Shard status() {
        Ring ring = state.ring();
        DispatchCounters counters = dispatcher.counters();
        return new BrokerStatus.Shard(
                state.epoch(),
                lease.lateRenewals(),
                ring.geometry().capacity(),
                ring.gate(),
                ring.next(),
                ring.room(),
                state.backlogMessages(),
                counters.delivered(),
                counters.redelivered(),
                counters.deadLetters(),
                counters.expired(),
                counters.readBack(),
                counters.consumers(),
                dispatcher.memoryBytes(),
                dispatcher.unsettledBytes(),
                committer.entries().temporaries(),
                deduplicator.size(),
                dispatcher.parked().stream().map(RunningShard::status).toList(),
                dispatcher.stuckAddresses().stream()
                        .map(each -> new BrokerStatus.StuckAddress(each.address(), each.messages(), each.reason()))
                        .toList(),
                committer.entries().entries().stream()
                        .map(RunningShard::status)
                        .sorted(Comparator.comparing(BrokerStatus.Address::name))
                        .toList());
    }

    private static BrokerStatus.Parked status(ParkedSubscription parked) {
        return new BrokerStatus.Parked(
                parked.subscription().address().name(),
                parked.subscription().clientId(),
                parked.subscription().name(),
                parked.sequence(),
                parked.reason());
    }

    private static BrokerStatus.Address status(AddressEntry entry) {
        Address address = entry.address();
        return new BrokerStatus.Address(
                address.name(),
                address.kind(),
                address.quota().messages(),
                address.quota().bytes(),
                address.quota().messagesMax(),
                address.quota().bytesMax(),
                retained(entry.retained()),
                entry.subscriptions().stream()
                        .map(subscription -> new BrokerStatus.Subscription(
                                subscription.subscription().clientId(),
                                subscription.subscription().name(),
                                subscription.owedInRing(),
                                subscription.owedInBacklog()))
                        .toList());
    }

    /** Describes what an address retains. @param kept null if the address retains nothing */
    private static BrokerStatus.Retained retained(RetainedMessages kept) {
        if (kept == null) {
            return null;
        }
        long oldestAt = kept.oldestAt();
        return new BrokerStatus.Retained(
                kept.messages(),
                kept.bytes(),
                oldestAt < 0 ? null : Instant.ofEpochMilli(oldestAt).toString());
    }

    /** Returns why the collector collects nothing from the inbox now; null while it collects. Thread: any. */
    String inboxTrouble() {
        return collecting.trouble();
    }

    /** Returns what answers questions about single messages. Thread: any. */
    Inspector inspector() {
        return inspector;
    }

    /** Returns the jobs of the shard. Thread: any. */
    Jobs jobs() {
        return jobs;
    }

    /** Returns what there is in the shard. Thread: any, to read. */
    Catalog entries() {
        return committer.entries();
    }

    List<StuckAddress> stuckAddresses() {
        return dispatcher.stuckAddresses();
    }

    Committer commit() {
        return committer;
    }

    RingState state() {
        return state;
    }

    /**
     * Sends the last flush and the last outcomes, then ends the agents. Clients are gone by now: what they gave back is
     * on its way through the dispatcher.
     */
    @Override
    public void close() {
        inspector.close();
        jobsRunner.close(); // first: what is on its way needs all the others
        collector.stop();
        quiesceDispatcher();
        closing = true;
        committerRunner.close();
        quiesceDispatcher();
        dispatcherRunner.close();
        if (collectorRunner != null) {
            collectorRunner.close(); // last: the collector may wait for a store that is away
        }
    }

    private void quiesceDispatcher() {
        if (stopped.get() || lease.isOver()) {
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
