package io.ringtable.broker.setting.policy;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressPattern;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Refuses a policy that would give an address other parts than it has: keys would go to other parts than their earlier
 * messages (ADR 58).
 * <p>
 * Thread: any. Failure: {@link Refusal.Refused}.
 *
 * @param lookup knows which addresses there are, each part as one
 * @param policies that count now
 * @param shards how many there are
 */
public record PartsCheck(CatalogLookup lookup, AddressPolicies policies, int shards) {

    /** @throws Refusal.Refused if the policy cannot be while the addresses are as they are */
    public void check(String pattern, StoredPolicy policy) {
        Integer parts = policy.parts();
        if (parts != null && (parts < 1 || parts > shards)) {
            throw PolicyCheck.refused(
                    "RT-4521",
                    pattern,
                    "parts=" + parts + ": a shard has one part of an address, and the broker has " + shards
                            + " shards: write a number from 1 to " + shards);
        }
        AddressPolicies after = policies.with(Stream.concat(
                        policies.runtimeRules().stream()
                                .filter(rule -> !rule.pattern().toString().equals(pattern)),
                        Stream.of(new AddressPolicies.RuntimeRule(new AddressPattern(pattern), policy.change())))
                .toList());
        Map<String, Integer> now = partsOfNow();
        if (parts != null) {
            checkExisting(pattern, after, now);
        }
        for (String queue : policy.destinations()) {
            checkDestination(pattern, queue, now.getOrDefault(queue, 1));
        }
    }

    /** Returns how many parts each stored address has, by name. */
    private Map<String, Integer> partsOfNow() {
        return lookup.addresses().stream()
                .filter(address -> !address.isTemporary())
                .collect(Collectors.toMap(Address::name, any -> 1, Integer::sum, TreeMap::new));
    }

    private void checkExisting(String pattern, AddressPolicies after, Map<String, Integer> now) {
        now.forEach((name, has) -> {
            int wanted = after.of(name).parts();
            if (wanted == policies.of(name).parts() || wanted == has || after.isDestination(name)) {
                return; // the policy changes nothing of it
            }
            throw PolicyCheck.refused(
                    "RT-4525",
                    pattern,
                    "parts=" + wanted + ", and " + kindOf(name) + " '" + Printable.value(name) + "' has " + has
                            + ": keys would leave their earlier messages behind. Empty and delete it, set the policy,"
                            + " and the next link makes it anew");
        });
    }

    private String kindOf(String name) {
        Address address = lookup.find(name);
        return address == null || address.isQueue() ? "queue" : "topic";
    }

    /** Checks that no keys move because a queue gets a part in every shard. */
    private void checkDestination(String pattern, String queue, int has) {
        if (has > 1 && has < shards && !policies.isDestination(queue)) {
            throw PolicyCheck.refused(
                    "RT-4528",
                    pattern,
                    "queue '" + Printable.value(queue) + "' has " + has + " parts by its own policy, and a queue to"
                            + " which policies move messages has one in each of " + shards
                            + " shards. Name another queue, or delete this one");
        }
    }
}
