package io.ringtable.broker.dispatch;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which policy an address has: that of the first rule that matches its name.
 *
 * @param rules in order
 * @param others of addresses that no rule matches
 */
public record AddressPolicies(List<Rule> rules, AddressPolicy others) {

    /**
     * @param match names with their words between dots; {@code *} stands for one word, {@code #} for any number of words
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
    }

    AddressPolicy of(String name) {
        for (Rule rule : rules) {
            if (rule.pattern().matcher(name).matches()) {
                return rule.policy();
            }
        }
        return others;
    }
}
