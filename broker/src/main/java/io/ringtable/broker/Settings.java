package io.ringtable.broker;

import io.ringtable.broker.admin.Users;
import io.ringtable.broker.amqp.AmqpSettings;
import io.ringtable.broker.amqp.TlsSettings;
import io.ringtable.broker.commit.CommitSettings;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.config.InboxProperties;
import io.ringtable.broker.config.RingProperties;
import io.ringtable.broker.config.RingtableProperties;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.dispatch.AddressPolicies;
import io.ringtable.broker.dispatch.AddressPolicy;
import io.ringtable.broker.dispatch.DispatchSettings;
import io.ringtable.broker.inbox.InboxSettings;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.unit.DataSize;

/** From properties to the settings of each part; relations between properties are refused here. */
final class Settings {
    private static final Logger LOG = LoggerFactory.getLogger(Settings.class);

    private Settings() {}

    static EngineSettings engine(
            RingtableProperties root,
            RingProperties ring,
            CommitProperties commit,
            DispatchProperties dispatch,
            InboxProperties inbox) {
        return new EngineSettings(
                ring.capacity(),
                root.lease(),
                commit(commit),
                dispatch(dispatch),
                new InboxSettings(inbox.probeInterval()));
    }

    private static CommitSettings commit(CommitProperties commit) {
        return new CommitSettings(
                commit.inboxWorks(),
                commit.inboxBytesMax().toBytes(),
                commit.batchMessagesMax(),
                (int) commit.batchBytesMax().toBytes(),
                (int) (commit.linger().toNanos() / 1_000),
                commit.settleDelay(),
                commit.quotaMessages(),
                commit.quotaBytes().toBytes(),
                commit.addressesMax(),
                commit.temporaryAddressesMax(),
                commit.createAddresses(),
                commit.duplicateIds(),
                commit.producersMax(),
                commit.producerRetention());
    }

    private static DispatchSettings dispatch(DispatchProperties dispatch) {
        DataSize memory = dispatch.memoryBytesMax();
        return new DispatchSettings(
                memory == null ? DispatchSettings.DEFAULTS.memoryBytesMax() : memory.toBytes(),
                dispatch.windowMessagesMax(),
                dispatch.unsettledBytesMax().toBytes(),
                dispatch.volatileMessagesMax(),
                policies(dispatch));
    }

    private static AddressPolicies policies(DispatchProperties dispatch) {
        AddressPolicy others = new AddressPolicy(
                dispatch.deliveriesMax(),
                dispatch.deadLetterQueue(),
                orElse(dispatch.expiryQueue(), ""),
                dispatch.redeliveryDelay().toMillis(),
                dispatch.redeliveryDelayMultiplier(),
                dispatch.redeliveryDelayMax().toMillis(),
                false);
        return new AddressPolicies(
                dispatch.addresses().stream()
                        .map(rule -> new AddressPolicies.Rule(rule.match(), policy(rule, others)))
                        .toList(),
                others);
    }

    private static AddressPolicy policy(DispatchProperties.Rule rule, AddressPolicy others) {
        return new AddressPolicy(
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
                rule.exclusive());
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

    static AmqpSettings amqp(AmqpProperties amqp, SecurityProperties security, Users users) {
        boolean isRemote = !isLoopback(amqp.host());
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
                .tls(tls(amqp.tls()))
                .build();
    }

    private static TlsSettings tls(AmqpProperties.Tls tls) {
        return tls.isConfigured()
                ? new TlsSettings(tls.certificate(), tls.privateKey(), tls.keyStore(), tls.password())
                : null;
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new ConfigurationRefused(
                    "RT-1036", "ringtable.amqp.host=" + host + " is not known here: name an interface of this machine");
        }
    }

    private static String blankToNull(String value) {
        return value == null || value.isBlank() ? null : value;
    }
}
