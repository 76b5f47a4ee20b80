package io.ringtable.broker.setting.policy;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressPattern;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import java.time.Duration;

/**
 * Refuses policies that cannot be, with what is wrong: the bounds are those of the configuration.
 * <p>
 * Thread: any. Failure: {@link Refusal.Refused}.
 *
 * @param lookup knows which addresses there are
 * @param policies that count now
 * @param duplicateIds ids that each address remembers; 0 = none
 * @param quotaBytes most bytes owed on an address where no policy says otherwise
 */
public record PolicyCheck(CatalogLookup lookup, AddressPolicies policies, int duplicateIds, long quotaBytes) {
    private static final int DELIVERIES_MAX = 1_000_000;
    private static final long DELAY_MAX_MS = Duration.ofDays(365).toMillis();
    private static final double MULTIPLIER_MAX = 100;
    private static final long AGE_MIN_MS = 1_000;
    private static final long AGE_MAX_MS = Duration.ofDays(36_500).toMillis();
    private static final long BYTES_MIN = 1L << 10;
    private static final long QUOTA_MESSAGES_MAX = 1_000_000_000_000L;
    private static final long QUOTA_BYTES_MAX = 1_000L << 40;
    private static final int AFFINITY_MAX = 100; // as ringtable.dispatch.addresses has it

    /** @throws Refusal.Refused if the policy cannot be */
    public void check(String pattern, StoredPolicy policy) {
        checkPattern(pattern);
        if (policy.equals(StoredPolicy.NOTHING)) {
            throw refused("RT-7616", pattern, "it says nothing: name at least one field, or delete the policy");
        }
        checkNumbers(pattern, policy);
        checkAffinity(pattern, policy.affinity());
        checkQueue(pattern, "deadLetterQueue", policy.deadLetterQueue());
        if (policy.expiryQueue() != null && !policy.expiryQueue().isEmpty()) {
            checkQueue(pattern, "expiryQueue", policy.expiryQueue());
        }
        if (Boolean.TRUE.equals(policy.onceByMessageId()) && duplicateIds == 0) {
            throw refused(
                    "RT-7614",
                    pattern,
                    "onceByMessageId=true, and ringtable.commit.duplicate-ids=0 keeps no ids: raise that, or leave"
                            + " onceByMessageId out");
        }
    }

    private static void checkAffinity(String pattern, String affinity) {
        if (affinity != null
                && !affinity.isEmpty()
                && (affinity.length() > AFFINITY_MAX || !Address.isName(affinity))) {
            throw refused(
                    "RT-7730",
                    pattern,
                    "affinity='" + Printable.value(affinity) + "': write a name of at most " + AFFINITY_MAX
                            + " characters, none of them a control character, or an empty one to spread new addresses");
        }
    }

    private static void checkPattern(String pattern) {
        if (!Address.isName(pattern)
                || new AddressPattern(pattern).hasWildcardInsideWord()
                || Address.hasKindPrefix(pattern)) {
            throw refused(
                    "RT-7610",
                    pattern,
                    "the pattern matches no address as it is meant: * and # stand for whole words between dots, as in"
                            + " orders.*.new. A name has 1 to " + Address.NAME_MAX
                            + " characters and no queue:// or topic:// before it");
        }
    }

    private void checkNumbers(String pattern, StoredPolicy policy) {
        checkRange(pattern, "deliveriesMax", policy.deliveriesMax(), 1, DELIVERIES_MAX);
        checkRange(pattern, "redeliveryDelayMs", policy.redeliveryDelayMs(), 0, DELAY_MAX_MS);
        checkRange(pattern, "redeliveryDelayMultiplier", policy.redeliveryDelayMultiplier(), 1, MULTIPLIER_MAX);
        checkRange(pattern, "redeliveryDelayMaxMs", policy.redeliveryDelayMaxMs(), 0, DELAY_MAX_MS);
        if (!Long.valueOf(0).equals(policy.retentionAgeMs())) {
            checkRange(pattern, "retentionAgeMs", policy.retentionAgeMs(), AGE_MIN_MS, AGE_MAX_MS);
        }
        checkRange(pattern, "messagesMax", policy.messagesMax(), 1, QUOTA_MESSAGES_MAX);
        checkRange(pattern, "bytesMax", policy.bytesMax(), 1, QUOTA_BYTES_MAX);
        if (!Long.valueOf(0).equals(policy.retentionBytes())) {
            checkRetention(pattern, policy);
        }
    }

    /** Checks that an eighth of the topic's quota stays free for others, since kept messages count in it. */
    private void checkRetention(String pattern, StoredPolicy policy) {
        Long bytes = policy.retentionBytes();
        if (policy.bytesMax() == null) {
            String most = " (7/8 of ringtable.commit.quota-bytes), or 0 for no bound";
            checkRange(pattern, "retentionBytes", bytes, BYTES_MIN, quotaBytes / 8 * 7, most);
            return;
        }
        if (bytes != null && bytes > policy.bytesMax() / 8 * 7) {
            throw refused(
                    "RT-7720",
                    pattern,
                    "retentionBytes=" + bytes + " is more than 7/8 of bytesMax=" + policy.bytesMax()
                            + ": raise the one or lower the other");
        }
        checkRange(pattern, "retentionBytes", bytes, BYTES_MIN, QUOTA_BYTES_MAX, ", or 0 for no bound");
    }

    private static void checkRange(String pattern, String field, Number value, double least, double most) {
        checkRange(pattern, field, value, least, most, "");
    }

    /** @param more what else the message says of the range */
    private static void checkRange(String pattern, String field, Number value, double least, double most, String more) {
        if (value != null && !(value.doubleValue() >= least && value.doubleValue() <= most)) { // NaN is in no range
            throw refused(
                    "RT-7611",
                    pattern,
                    "%s=%s: write a number from %.0f to %.0f%s".formatted(field, value, least, most, more));
        }
    }

    private void checkQueue(String pattern, String field, String name) {
        if (name == null) {
            return;
        }
        if (!Address.isName(name)
                || name.isBlank()
                || name.startsWith(Address.TEMPORARY_PREFIX)
                || name.contains(CatalogMailbox.SINCE)
                || Address.hasKindPrefix(name)) {
            throw refused(
                    "RT-7612",
                    pattern,
                    field + "='" + Printable.value(name) + "' is no name of a queue: 1 to " + Address.NAME_MAX
                            + " characters, without queue:// before it, not beginning with "
                            + Address.TEMPORARY_PREFIX);
        }
        Address existing = lookup.find(name);
        if (existing != null && !existing.isQueue() || policies.declared().get(name) == AddressKind.TOPIC) {
            throw refused(
                    "RT-7613",
                    pattern,
                    field + "='" + Printable.value(name) + "' is a topic: name a queue, or delete the topic");
        }
    }

    static Refusal.Refused refused(String code, String pattern, String why) {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.INVALID, code, "policy '" + Printable.value(pattern) + "' is not set: " + why));
    }
}
