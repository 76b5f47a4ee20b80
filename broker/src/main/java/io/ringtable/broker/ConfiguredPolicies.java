package io.ringtable.broker;

import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.config.RingtableProperties;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.QuotaLimits;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.util.unit.DataSize;

/** Makes the policies of addresses from their properties, and refuses those that the rest of the shard cannot keep. */
final class ConfiguredPolicies {
    private ConfiguredPolicies() {}

    /** @throws ConfigurationRefused if a declared name cannot be an address */
    static AddressPolicies of(DispatchProperties dispatch, RingtableProperties root) {
        AddressPolicy others = new AddressPolicy(
                dispatch.autoCreate().kinds(),
                dispatch.defaultKind(),
                dispatch.deliveriesMax(),
                dispatch.deadLetterQueue(),
                orElse(dispatch.expiryQueue(), ""),
                dispatch.redeliveryDelay().toMillis(),
                dispatch.redeliveryDelayMultiplier(),
                dispatch.redeliveryDelayMax().toMillis(),
                false,
                false,
                Retention.NONE,
                QuotaLimits.NONE,
                "",
                1);
        return new AddressPolicies(
                dispatch.addresses().stream()
                        .map(rule -> new AddressPolicies.Rule(rule.match(), policy(rule, others)))
                        .toList(),
                others,
                declared(root));
    }

    private static AddressPolicy policy(DispatchProperties.Rule rule, AddressPolicy others) {
        return new AddressPolicy(
                rule.autoCreate() == null
                        ? others.autoCreate()
                        : rule.autoCreate().kinds(),
                orElse(rule.defaultKind(), others.defaultKind()),
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
                rule.duplicateId() == DispatchProperties.DuplicateIdSource.MESSAGE_ID,
                new Retention(
                        rule.retentionAge() == null ? 0 : rule.retentionAge().toMillis(),
                        rule.retentionBytes() == null
                                ? 0
                                : rule.retentionBytes().toBytes()),
                new QuotaLimits(
                        orElse(rule.messagesMax(), 0L),
                        rule.bytesMax() == null ? 0 : rule.bytesMax().toBytes()),
                orElse(rule.affinity(), ""),
                orElse(rule.parts(), 1));
    }

    private static Map<String, AddressKind> declared(RingtableProperties root) {
        Map<String, AddressKind> declared = new LinkedHashMap<>();
        declare("queues", root.queues(), AddressKind.QUEUE, declared);
        declare("topics", root.topics(), AddressKind.TOPIC, declared);
        return declared;
    }

    private static void declare(String property, List<String> names, AddressKind kind, Map<String, AddressKind> all) {
        for (String name : names) {
            if (!Address.isName(name) || name.startsWith(Address.TEMPORARY_PREFIX) || Address.hasKindPrefix(name)) {
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

    private static <T> T orElse(T value, T other) {
        return value == null ? other : value;
    }

    /** Checks that retention leaves an eighth of the quota free: kept messages count in the quota of their topic. */
    static void checkRetention(DispatchProperties dispatch, CommitProperties commit) {
        for (int i = 0; i < dispatch.addresses().size(); i++) {
            DispatchProperties.Rule rule = dispatch.addresses().get(i);
            String property = "ringtable.dispatch.addresses[" + i + "].";
            DataSize bytes = rule.retentionBytes();
            DataSize quota = orElse(rule.bytesMax(), commit.quotaBytes());
            if (bytes != null && bytes.toBytes() > quota.toBytes() / 8 * 7) {
                throw new ConfigurationRefused(
                        "RT-1012",
                        property + "retention-bytes=" + bytes + " is more than 7/8 of "
                                + (rule.bytesMax() == null ? "ringtable.commit.quota-bytes" : property + "bytes-max")
                                + "=" + quota + ": raise the one or lower the other");
            }
        }
    }

    /** Checks that there are as many shards as an address is to have parts. */
    static void checkParts(DispatchProperties dispatch, int shards) {
        for (int i = 0; i < dispatch.addresses().size(); i++) {
            Integer parts = dispatch.addresses().get(i).parts();
            if (parts != null && parts > shards) {
                throw new ConfigurationRefused(
                        "RT-4520",
                        "ringtable.dispatch.addresses[" + i + "].parts=" + parts + " is more than ringtable.shards="
                                + shards
                                + ", and a shard has one part of an address: lower the one or raise the other");
            }
        }
    }

    /** Checks that ids are kept wherever message ids decide about duplicates. */
    static void checkDuplicateIds(AddressPolicies policies, CommitProperties commit) {
        for (AddressPolicies.Rule rule : policies.rules()) {
            if (rule.policy().onceByMessageId() && commit.duplicateIds() == 0) {
                throw new ConfigurationRefused(
                        "RT-1041",
                        "ringtable.dispatch.addresses '" + rule.match() + "' has duplicate-id=message-id,"
                                + " and ringtable.commit.duplicate-ids=0 keeps no ids: raise it, or remove"
                                + " duplicate-id");
            }
        }
    }
}
