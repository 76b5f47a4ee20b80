package io.ringtable.broker.dispatch.policy;

import io.ringtable.broker.catalog.AddressCreation;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the policy of an address: that of the first rule that matches its name.
 *
 * @param rules in order
 * @param others of addresses that no rule matches
 * @param declared addresses that are to be there, by name; they may be created whatever the rules say, as may the
 *     queues to which policies move messages
 * @param destinations names of the queues to which policies move messages: made at the start, and no topic has one of
 *     them
 */
public record AddressPolicies(
        List<Rule> rules, AddressPolicy others, Map<String, AddressKind> declared, Set<String> destinations)
        implements AddressCreation {

    private static final String RESERVED_PREFIX = "$";

    /**
     * @param match names with their words between dots; {@code *} stands for one word, {@code #} for any number of
     *     words
     */
    public record Rule(String match, Pattern pattern, AddressPolicy policy) {

        public Rule(String match, AddressPolicy policy) {
            this(match, pattern(match), policy);
        }

        private static Pattern pattern(String match) {
            String words = Stream.of(match.split("\\.", -1)).map(Rule::word).collect(Collectors.joining("\\."));
            // "any number" may be none: then its dot is not there either
            return Pattern.compile(words.replace("\\." + ANY, "(\\." + ANY + ")?"));
        }

        private static final String ANY = "(?:.*)";

        private static String word(String word) {
            return switch (word) {
                case "*" -> "[^.]+";
                case "#" -> ANY;
                default -> Pattern.quote(word);
            };
        }
    }

    public AddressPolicies {
        rules = List.copyOf(rules);
        declared = Map.copyOf(declared);
    }

    /** With the destinations that the policies name. */
    public AddressPolicies(List<Rule> rules, AddressPolicy others, Map<String, AddressKind> declared) {
        this(rules, others, declared, destinations(rules, others));
    }

    /** With nothing declared. */
    public AddressPolicies(List<Rule> rules, AddressPolicy others) {
        this(rules, others, Map.of());
    }

    /** How much of a topic is kept, by its name. */
    public Retention retention(String topic) {
        return of(topic).retention();
    }

    public AddressPolicy of(String name) {
        Rule rule = ruleOf(name);
        return rule == null ? others : rule.policy();
    }

    private Rule ruleOf(String name) {
        for (Rule rule : rules) {
            if (rule.pattern().matcher(name).matches()) {
                return rule;
            }
        }
        return null;
    }

    @Override
    public AddressKind kindOf(String name, AddressKind wanted) {
        checkReserved(name, wanted);
        AddressKind meant = declared.containsKey(name) || !isDestination(name) ? declared.get(name) : AddressKind.QUEUE;
        if (meant != null && (wanted == null || wanted == meant)) {
            return meant;
        }
        AddressPolicy policy = of(name);
        AddressKind kind = wanted == null ? policy.kindWhereNobodySays() : wanted;
        if (!policy.autoCreate().contains(kind)) {
            throw new Refusal.Refused(notCreated(name, kind));
        }
        return kind;
    }

    private void checkReserved(String name, AddressKind wanted) {
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

    /** Whether a policy moves messages there. */
    private boolean isDestination(String name) {
        return destinations.contains(name);
    }

    private static Set<String> destinations(List<Rule> rules, AddressPolicy others) {
        return Stream.concat(rules.stream().map(Rule::policy), Stream.of(others))
                .flatMap(policy -> Stream.of(policy.deadLetterQueue(), policy.expiryQueue()))
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * The policy of a subscription: where dead letters would come back to the address after some moves, they stay there
     * instead.
     */
    public AddressPolicy ofReader(String name) {
        AddressPolicy policy = of(name);
        Set<String> passed = new HashSet<>(Set.of(name));
        for (String next = policy.deadLetterQueue(); !next.equals(name); next = of(next).deadLetterQueue()) {
            if (!passed.add(next)) {
                return policy; // those turn in a circle without this one
            }
        }
        return policy.deadLetterQueue().equals(name) ? policy : policy.dyingIn(name);
    }

    private Refusal notCreated(String name, AddressKind kind) {
        Rule rule = ruleOf(name);
        Set<AddressKind> created = of(name).autoCreate();
        String other = created.isEmpty() ? "none" : word(created.iterator().next());
        return new Refusal(
                Refusal.Reason.NOT_FOUND,
                "RT-2012",
                "there is no " + word(kind) + " '" + name + "', and auto-create=" + other + " of ringtable.dispatch"
                        + (rule == null ? "" : ".addresses '" + rule.match() + "'") + " creates none: "
                        + (created.isEmpty() ? "" : "name a " + other + ", ") + "declare it in ringtable." + word(kind)
                        + "s, or change that policy");
    }

    private static String word(AddressKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
