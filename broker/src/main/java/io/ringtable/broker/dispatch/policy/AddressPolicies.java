package io.ringtable.broker.dispatch.policy;

import io.ringtable.broker.catalog.AddressCreation;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressPattern;
import io.ringtable.broker.message.QuotaLimits;
import io.ringtable.broker.message.Refusal;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the policy of an address: that of the first rule that matches its name, changed by the first runtime
 * rule that matches it.
 *
 * @param runtimeRules what was set at run time, the most specific pattern first
 * @param rules those of the configuration, in order
 * @param others the policy of addresses that no rule matches
 * @param declared the kinds of declared addresses, by name. Clients may create these, and the queues to which policies
 *     move messages, whatever the rules say
 * @param destinations names of the queues to which policies move messages. The broker makes them at the start; no topic
 *     has one of these names
 */
public record AddressPolicies(
        List<RuntimeRule> runtimeRules,
        List<Rule> rules,
        AddressPolicy others,
        Map<String, AddressKind> declared,
        Set<String> destinations)
        implements AddressCreation {

    private static final String RESERVED_PREFIX = "$";

    /**
     * Gives a policy to the addresses whose names match.
     *
     * @param pattern names with their words between dots; {@code *} stands for one word, {@code #} for any number of
     *     words
     */
    public record Rule(AddressPattern pattern, AddressPolicy policy) {

        public Rule(String match, AddressPolicy policy) {
            this(new AddressPattern(match), policy);
        }

        /** Returns the pattern as the configuration has it. */
        public String match() {
            return pattern.toString();
        }
    }

    /** Changes some of the policy of the addresses whose names match. */
    public record RuntimeRule(AddressPattern pattern, PolicyChange change) {}

    public AddressPolicies {
        runtimeRules = List.copyOf(runtimeRules);
        rules = List.copyOf(rules);
        declared = Map.copyOf(declared);
    }

    /** Takes the destinations that the policies name. */
    public AddressPolicies(List<Rule> rules, AddressPolicy others, Map<String, AddressKind> declared) {
        this(List.of(), rules, others, declared, destinations(rules, others));
    }

    /** Declares no address. */
    public AddressPolicies(List<Rule> rules, AddressPolicy others) {
        this(rules, others, Map.of());
    }

    /** Returns the same policies with other runtime rules, which come in any order. */
    public AddressPolicies with(Collection<RuntimeRule> others) {
        List<RuntimeRule> sorted = others.stream()
                .sorted(Comparator.comparing(RuntimeRule::pattern, AddressPattern.MOST_SPECIFIC_FIRST))
                .toList();
        Set<String> all = new HashSet<>(destinations(rules, this.others));
        sorted.forEach(rule -> all.addAll(rule.change().destinations()));
        return new AddressPolicies(sorted, rules, this.others, declared, Set.copyOf(all));
    }

    /** Returns how much of a topic is kept, by its name. */
    public Retention retention(String topic) {
        return of(topic).retention();
    }

    @Override
    public QuotaLimits quota(String name) {
        return of(name).quota();
    }

    /** Tells whether a policy says something of quotas; if not, all addresses have the same. */
    public boolean limitQuotas() {
        return runtimeRules.stream().anyMatch(rule -> rule.change().limitsQuota())
                || Stream.concat(rules.stream().map(Rule::policy), Stream.of(others))
                        .anyMatch(policy -> !policy.quota().equals(QuotaLimits.NONE));
    }

    /**
     * Returns which names may have another policy than under earlier ones with the same configuration: those that match
     * a rule that came, changed or went.
     */
    public Predicate<String> differentFrom(AddressPolicies before) {
        Set<RuntimeRule> changed = new HashSet<>(runtimeRules);
        for (RuntimeRule rule : before.runtimeRules) {
            if (!changed.remove(rule)) {
                changed.add(rule);
            }
        }
        List<AddressPattern> patterns =
                changed.stream().map(RuntimeRule::pattern).distinct().toList();
        return name -> patterns.stream().anyMatch(pattern -> pattern.matches(name));
    }

    /** Returns which names have that affinity, at the price of the patterns that name it. */
    public Predicate<String> haveAffinity(String affinity) {
        List<AddressPattern> patterns = Stream.concat(
                        runtimeRules.stream()
                                .filter(rule -> affinity.equals(rule.change().affinity()))
                                .map(RuntimeRule::pattern),
                        rules.stream()
                                .filter(rule -> affinity.equals(rule.policy().affinity()))
                                .map(Rule::pattern))
                .toList();
        return name -> patterns.stream().anyMatch(pattern -> pattern.matches(name))
                && of(name).affinity().equals(affinity);
    }

    public AddressPolicy of(String name) {
        Rule rule = ruleOf(name);
        AddressPolicy configured = rule == null ? others : rule.policy();
        RuntimeRule atRuntime = runtimeRuleOf(name);
        return atRuntime == null ? configured : atRuntime.change().of(configured);
    }

    private RuntimeRule runtimeRuleOf(String name) {
        for (RuntimeRule rule : runtimeRules) {
            if (rule.pattern().matches(name)) {
                return rule;
            }
        }
        return null;
    }

    private Rule ruleOf(String name) {
        for (Rule rule : rules) {
            if (rule.pattern().matches(name)) {
                return rule;
            }
        }
        return null;
    }

    @Override
    public AddressKind kindOf(String name, AddressKind wanted) {
        check(name, wanted);
        AddressKind meant = declared.containsKey(name) || !isDestination(name) ? declared.get(name) : AddressKind.QUEUE;
        AddressPolicy policy = of(name);
        if (meant != null && (wanted == null || wanted == meant)) {
            return meant;
        }
        AddressKind kind = wanted == null ? policy.kindWhereNobodySays() : wanted;
        if (!policy.autoCreate().contains(kind)) {
            throw new Refusal.Refused(notCreated(name, kind));
        }
        return kind;
    }

    @Override
    public void check(String name, AddressKind wanted) {
        if (wanted == AddressKind.TOPIC && isDestination(name)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-2343",
                    "'" + name
                            + "' is reserved: policies move messages to the queue of that name, so there can be no"
                            + " topic '" + name + "': use another name"));
        }
        if (name.startsWith(RESERVED_PREFIX) && !isDestination(name) && !declared.containsKey(name)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-2344",
                    "'" + name + "' is reserved: names that begin with '" + RESERVED_PREFIX
                            + "' are the broker's own: use another name"));
        }
    }

    /** Returns whether a policy moves messages to this address. */
    public boolean isDestination(String name) {
        return destinations.contains(name);
    }

    private static Set<String> destinations(List<Rule> rules, AddressPolicy others) {
        return Stream.concat(rules.stream().map(Rule::policy), Stream.of(others))
                .flatMap(policy -> Stream.of(policy.deadLetterQueue(), policy.expiryQueue()))
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Returns the policy of a subscription of the address. Where dead letters would come back to the address after some
     * moves, they stay there.
     */
    public AddressPolicy ofReader(String name) {
        AddressPolicy policy = of(name);
        Set<String> passed = new HashSet<>(Set.of(name));
        for (String next = policy.deadLetterQueue(); !next.equals(name); next = of(next).deadLetterQueue()) {
            if (!passed.add(next)) {
                return policy; // a circle of other addresses
            }
        }
        return policy.deadLetterQueue().equals(name) ? policy : policy.dyingIn(name);
    }

    private Refusal notCreated(String name, AddressKind kind) {
        Rule rule = ruleOf(name);
        Set<AddressKind> created = of(name).autoCreate();
        RuntimeRule atRuntime = runtimeRuleOf(name);
        String where = atRuntime != null && atRuntime.change().autoCreate() != null
                ? "the policy '" + atRuntime.pattern() + "', set at run time,"
                : "ringtable.dispatch" + (rule == null ? "" : ".addresses '" + rule.match() + "'");
        String other = created.isEmpty() ? "none" : word(created.iterator().next());
        return new Refusal(
                Refusal.Reason.NOT_FOUND,
                "RT-2012",
                "there is no " + word(kind) + " '" + name + "', and auto-create=" + other + " of " + where
                        + " creates none: "
                        + (created.isEmpty() ? "" : "name a " + other + ", ") + "declare it in ringtable." + word(kind)
                        + "s, or change that policy");
    }

    private static String word(AddressKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
