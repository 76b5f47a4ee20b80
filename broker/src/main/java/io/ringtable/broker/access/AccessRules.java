package io.ringtable.broker.access;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Says what users may do. A user has the permissions of all rules that match, whatever their order, and no others.
 * Without any rule everybody may do everything.
 * <p>
 * Thread: any; immutable.
 */
public final class AccessRules {
    /** Permits everything to everybody. */
    public static final AccessRules NONE = new AccessRules(List.of());

    private final List<AccessRule> rules;
    private final Set<String> named; // by a rule that is for this address alone

    public AccessRules(List<AccessRule> rules) {
        this.rules = List.copyOf(rules);
        this.named = this.rules.stream()
                .map(AccessRule::match)
                .filter(match -> match.isName())
                .map(Object::toString)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns these rules and more. */
    public AccessRules and(List<AccessRule> more) {
        return more.isEmpty()
                ? this
                : new AccessRules(Stream.concat(rules.stream(), more.stream()).toList());
    }

    /** Returns every rule, in no order that matters. */
    public List<AccessRule> all() {
        return rules;
    }

    public boolean isEmpty() {
        return rules.isEmpty();
    }

    /** Returns the rights of one user. */
    public Rights of(Identity who) {
        return isEmpty()
                ? Rights.ALL
                : new Rights(
                        false, rules.stream().filter(rule -> rule.isFor(who)).toList(), named);
    }

    public boolean permits(Identity who, Permission permission, String address) {
        return of(who).permits(permission, address);
    }
}
