package io.ringtable.broker;

import io.ringtable.broker.admin.Users;
import io.ringtable.broker.amqp.settings.AmqpSettings;
import io.ringtable.broker.amqp.settings.LoginSettings;
import io.ringtable.broker.amqp.settings.TlsSettings;
import io.ringtable.broker.catalog.AddressCreation;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.change.CatalogSettings;
import io.ringtable.broker.commit.CommitSettings;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.AutoCreate;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.DefaultKind;
import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.config.DuplicateIdSource;
import io.ringtable.broker.config.InboxProperties;
import io.ringtable.broker.config.RestartProperties;
import io.ringtable.broker.config.RingProperties;
import io.ringtable.broker.config.RingtableProperties;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.config.WatermarkProperties;
import io.ringtable.broker.deduplication.DeduplicationSettings;
import io.ringtable.broker.dispatch.DispatchSettings;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.inbox.InboxSettings;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.watermark.DiskGauge;
import io.ringtable.broker.watermark.Gauge;
import io.ringtable.broker.watermark.HeapGauge;
import io.ringtable.broker.watermark.Watermarks;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/** From properties to the settings of each part; relations between properties are refused here. */
final class Settings {
    private static final Logger LOG = LoggerFactory.getLogger(Settings.class);
    private static final Pattern PREFIXED = Pattern.compile("^(queue|topic)://");

    private Settings() {}

    static ShardSettings shard(
            RingtableProperties root,
            RingProperties ring,
            CommitProperties commit,
            DispatchProperties dispatch,
            InboxProperties inbox,
            RestartProperties restart) {
        checkRetention(dispatch, commit);
        AddressPolicies policies = policies(dispatch, root);
        checkDuplicateIds(policies, commit.duplicateIds());
        return new ShardSettings(
                ring.capacity(),
                root.lease(),
                commit(commit, policies),
                dispatch(dispatch, policies),
                new InboxSettings(inbox.probeInterval()),
                new RestartSettings(restart.triesMax(), restart.delay(), restart.delayMax(), restart.resetAfter()));
    }

    private static void checkDuplicateIds(AddressPolicies policies, int kept) {
        for (AddressPolicies.Rule rule : policies.rules()) {
            if (rule.policy().onceByMessageId() && kept == 0) {
                throw new ConfigurationRefused(
                        "RT-1041",
                        "ringtable.dispatch.addresses '" + rule.match() + "' has duplicate-id=message-id, and"
                                + " ringtable.commit.duplicate-ids=0 keeps no ids: raise it, or leave duplicate-id away");
            }
        }
    }

    private static CommitSettings commit(CommitProperties commit, AddressCreation creation) {
        return new CommitSettings(
                commit.inboxWorks(),
                commit.inboxBytesMax().toBytes(),
                commit.batchMessagesMax(),
                (int) commit.batchBytesMax().toBytes(),
                (int) (commit.linger().toNanos() / 1_000),
                commit.settleDelay(),
                new CatalogSettings(
                        commit.quotaMessages(),
                        commit.quotaBytes().toBytes(),
                        commit.addressesMax(),
                        commit.temporaryAddressesMax(),
                        creation),
                new DeduplicationSettings(commit.duplicateIds(), commit.producersMax(), commit.producerRetention()));
    }

    private static DispatchSettings dispatch(DispatchProperties dispatch, AddressPolicies policies) {
        DataSize memory = dispatch.memoryBytesMax();
        return new DispatchSettings(
                memory == null ? DispatchSettings.DEFAULTS.memoryBytesMax() : memory.toBytes(),
                dispatch.windowMessagesMax(),
                dispatch.unsettledBytesMax().toBytes(),
                dispatch.volatileMessagesMax(),
                policies);
    }

    private static AddressPolicies policies(DispatchProperties dispatch, RingtableProperties root) {
        AddressPolicy others = new AddressPolicy(
                kinds(dispatch.autoCreate()),
                kind(dispatch.defaultKind()),
                dispatch.deliveriesMax(),
                dispatch.deadLetterQueue(),
                orElse(dispatch.expiryQueue(), ""),
                dispatch.redeliveryDelay().toMillis(),
                dispatch.redeliveryDelayMultiplier(),
                dispatch.redeliveryDelayMax().toMillis(),
                false,
                false,
                Retention.NONE);
        return new AddressPolicies(
                dispatch.addresses().stream()
                        .map(rule -> new AddressPolicies.Rule(rule.match(), policy(rule, others)))
                        .toList(),
                others,
                declared(root));
    }

    private static Map<String, AddressKind> declared(RingtableProperties root) {
        Map<String, AddressKind> declared = new LinkedHashMap<>();
        declare("queues", root.queues(), AddressKind.QUEUE, declared);
        declare("topics", root.topics(), AddressKind.TOPIC, declared);
        return declared;
    }

    private static void declare(String property, List<String> names, AddressKind kind, Map<String, AddressKind> all) {
        for (String name : names) {
            if (!Address.isName(name)
                    || name.startsWith(Address.TEMPORARY_PREFIX)
                    || PREFIXED.matcher(name).find()) {
                throw new ConfigurationRefused(
                        "RT-1038",
                        "ringtable." + property + " has '" + name + "': a name has 1 to " + Address.NAME_MAX
                                + " characters, no control characters, and does not begin with queue://, topic:// or "
                                + Address.TEMPORARY_PREFIX);
            }
            if (all.putIfAbsent(name, kind) != null && all.get(name) != kind) {
                throw new ConfigurationRefused(
                        "RT-1039",
                        "'" + name + "' stands in ringtable.queues and in ringtable.topics: leave it in one");
            }
        }
    }

    private static Set<AddressKind> kinds(AutoCreate created) {
        return switch (created) {
            case ANY -> Set.of(AddressKind.values());
            case QUEUE -> Set.of(AddressKind.QUEUE);
            case TOPIC -> Set.of(AddressKind.TOPIC);
            case NONE -> Set.of();
        };
    }

    private static AddressKind kind(DefaultKind kind) {
        return kind == DefaultKind.TOPIC ? AddressKind.TOPIC : AddressKind.QUEUE;
    }

    private static AddressPolicy policy(DispatchProperties.Rule rule, AddressPolicy others) {
        return new AddressPolicy(
                rule.autoCreate() == null ? others.autoCreate() : kinds(rule.autoCreate()),
                rule.defaultKind() == null ? others.defaultKind() : kind(rule.defaultKind()),
                orElse(rule.deliveriesMax(), others.deliveriesMax()),
                orElse(rule.deadLetterQueue(), others.deadLetterQueue()),
                orElse(rule.expiryQueue(), others.expiryQueue()),
                rule.redeliveryDelay() == null
                        ? others.redeliveryDelayMs()
                        : rule.redeliveryDelay().toMillis(),
                orElse(rule.redeliveryDelayMultiplier(), others.redeliveryDelayMultiplier()),
                rule.redeliveryDelayMax() == null
                        ? others.redeliveryDelayMaxMs()
                        : rule.redeliveryDelayMax().toMillis(),
                rule.exclusive(),
                rule.duplicateId() == DuplicateIdSource.MESSAGE_ID,
                new Retention(
                        rule.retentionAge() == null ? 0 : rule.retentionAge().toMillis(),
                        rule.retentionBytes() == null
                                ? 0
                                : rule.retentionBytes().toBytes()));
    }

    /** What is kept counts as what lies in the store of its topic. */
    private static void checkRetention(DispatchProperties dispatch, CommitProperties commit) {
        long quota = commit.quotaBytes().toBytes();
        for (int i = 0; i < dispatch.addresses().size(); i++) {
            DataSize bytes = dispatch.addresses().get(i).retentionBytes();
            if (bytes != null && bytes.toBytes() > quota / 8 * 7) {
                throw new ConfigurationRefused(
                        "RT-1012",
                        "ringtable.dispatch.addresses[" + i + "].retention-bytes=" + bytes + " is more than 7/8 of"
                                + " ringtable.commit.quota-bytes=" + commit.quotaBytes()
                                + ": raise the one or lower the other");
            }
        }
    }

    private static long orNone(DataSize size) {
        return size == null ? 0 : size.toBytes();
    }

    private static <T> T orElse(T value, T other) {
        return value == null ? other : value;
    }

    static StoreSettings store(RingtableProperties root, StoreProperties store) {
        return new StoreSettings(
                blankToNull(store.url()),
                blankToNull(store.username()),
                store.password(),
                root.dataDir(),
                store.readersMax(),
                store.connectTimeout(),
                store.statementTimeout(),
                store.delayedDurability());
    }

    /** The database of a server guards its own disk. */
    static Watermarks watermarks(WatermarkProperties watermark, RingtableProperties root, StoreProperties store) {
        List<Gauge> gauges = new ArrayList<>();
        gauges.add(new HeapGauge(watermark.heapPercent()));
        long free = watermark.freeDiskBytes().toBytes();
        if (free > 0 && blankToNull(store.url()) == null) {
            gauges.add(new DiskGauge(root.dataDir(), free));
        }
        return new Watermarks(gauges);
    }

    static AmqpSettings amqp(AmqpProperties amqp, SecurityProperties security, Users users) {
        boolean isRemote = !isLoopback("ringtable.amqp.host", amqp.host());
        if (isRemote && users.isEmpty() && !security.allowAnonymousRemote()) {
            throw new ConfigurationRefused(
                    "RT-1033",
                    "ringtable.amqp.host=" + amqp.host() + " is open to other machines and ringtable.security.users is"
                            + " empty: add users, listen on 127.0.0.1, or set"
                            + " ringtable.security.allow-anonymous-remote=true");
        }
        if (isRemote && users.isEmpty()) {
            LOG.warn(
                    "RT-1034 whoever reaches {}:{} may publish and subscribe without a name, as"
                            + " ringtable.security.allow-anonymous-remote=true says",
                    amqp.host(),
                    amqp.port());
        }
        if (isRemote && !amqp.tls().isConfigured()) {
            LOG.warn(
                    "RT-1035 {}:{} is served without TLS: passwords and messages can be read on their way; set"
                            + " ringtable.amqp.tls.certificate and .private-key",
                    amqp.host(),
                    amqp.port());
        }
        return AmqpSettings.builder()
                .host(amqp.host())
                .port(amqp.port())
                .containerId(amqp.containerId())
                .ioThreads(amqp.ioThreads())
                .maxFrameSize((int) amqp.maxFrameSize().toBytes())
                .maxMessageSize((int) amqp.maxMessageSize().toBytes())
                .connectionsMax(amqp.connectionsMax())
                .sessionsMax(amqp.sessionsMax())
                .linksMax(amqp.linksMax())
                .idleTimeoutMs(amqp.idleTimeout().toMillis())
                .handshakeTimeoutMs(amqp.handshakeTimeout().toMillis())
                .linkCredit(amqp.linkCredit())
                .bufferedBytesMax(amqp.bufferedBytesMax().toBytes())
                .heldBytesMax(orNone(amqp.heldBytesMax()))
                .allHeldBytesMax(orNone(amqp.allHeldBytesMax()))
                .temporaryAddressesMax(amqp.temporaryAddressesMax())
                .parkedMessagesMax(amqp.parkedMessagesMax())
                .parkedBytesMax(amqp.parkedBytesMax().toBytes())
                .parkedMs(amqp.parkedTimeout().toMillis())
                .outboundBytesMax((int) amqp.outboundBytesMax().toBytes())
                .outboundStallMs(amqp.outboundStallTimeout().toMillis())
                .transactionsMax(amqp.transactionsMax())
                .transactionBytesMax(amqp.transactionBytesMax().toBytes())
                .transactionIdleMs(amqp.transactionIdleTimeout().toMillis())
                .stopTimeoutMs(amqp.stopTimeout().toMillis())
                .authenticator(users.isEmpty() ? null : users)
                .logins(new LoginSettings(
                        security.loginFailuresMax(), security.loginFailureRecovery(), security.loginRemembered()))
                .tls(tls(amqp.tls()))
                .build();
    }

    private static TlsSettings tls(AmqpProperties.Tls tls) {
        return tls.isConfigured()
                ? new TlsSettings(tls.certificate(), tls.privateKey(), tls.keyStore(), tls.password())
                : null;
    }

    /** HTTP has no login: what AMQP needs users for, it needs a word for. */
    static void http(Environment environment, SecurityProperties security) {
        http("server", environment, security);
        if (environment.containsProperty("management.server.address")) {
            http("management.server", environment, security);
        }
    }

    private static void http(String server, Environment environment, SecurityProperties security) {
        String property = server + ".address";
        String address = environment.getProperty(property, "");
        if (!address.isBlank() && isLoopback(property, address)) {
            return;
        }
        String where = address.isBlank() ? property + " is empty and" : property + "=" + address;
        if (!security.allowRemoteHttp()) {
            throw new ConfigurationRefused(
                    "RT-1054",
                    where
                            + " opens HTTP to other machines, which has no login: serve it on 127.0.0.1 behind something that"
                            + " has one, or set ringtable.security.allow-remote-http=true");
        }
        LOG.warn(
                "RT-1055 {} lets whoever reaches it read status and metrics, as"
                        + " ringtable.security.allow-remote-http=true says",
                where);
        if (Stream.of("bundle", "certificate", "key-store")
                .noneMatch(key -> environment.containsProperty(server + ".ssl." + key))) {
            LOG.warn(
                    "RT-1056 {} serves HTTP without TLS: its answers can be read on their way; set {}.ssl",
                    where,
                    server);
        }
    }

    private static boolean isLoopback(String property, String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new ConfigurationRefused(
                    "RT-1036", property + "=" + host + " is not known here: name an interface of this machine");
        }
    }

    private static String blankToNull(String value) {
        return value == null || value.isBlank() ? null : value;
    }
}
