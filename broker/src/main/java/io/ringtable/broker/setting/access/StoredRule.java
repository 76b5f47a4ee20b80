package io.ringtable.broker.setting.access;

import io.ringtable.broker.access.AccessRule;
import io.ringtable.broker.access.Permission;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressPattern;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import java.util.Set;

/**
 * Holds a rule as administrators write it, and as it is stored; the name is that of the setting.
 * <p>
 * Thread: any; immutable.
 *
 * @param match names of addresses, words between dots; * stands for one word, # for any number of words
 * @param users that the rule is for; * = every user who has logged in
 * @param groups whose members the rule is for as well
 * @param permissions what they may do
 */
public record StoredRule(String match, Set<String> users, Set<String> groups, Set<Permission> permissions) {

    public StoredRule {
        users = users == null ? Set.of() : Set.copyOf(users);
        groups = groups == null ? Set.of() : Set.copyOf(groups);
        permissions = permissions == null ? Set.of() : Set.copyOf(permissions);
    }

    /** @throws Refusal.Refused if the rule cannot mean what it says, with what is wrong */
    public void check(String name) {
        if (match == null
                || !Address.isName(match)
                || new AddressPattern(match).hasWildcardInsideWord()
                || Address.hasKindPrefix(match)) {
            throw refused(
                    "RT-7630",
                    name,
                    "match='" + Printable.value(match) + "' matches no address as it is meant: * and # stand for whole"
                            + " words between dots, as in orders.*.new. A name has no queue:// or topic:// before"
                            + " it");
        }
        if (users.isEmpty() && groups.isEmpty()
                || groups.contains(AccessRule.EVERY_USER)
                || users.stream().anyMatch(String::isBlank)
                || groups.stream().anyMatch(String::isBlank)) {
            throw refused(
                    "RT-7631",
                    name,
                    "it is for nobody, has an empty name, or groups '*': name users or groups, or write users ['*'] for"
                            + " every user");
        }
        if (permissions.isEmpty()) {
            throw refused(
                    "RT-7632",
                    name,
                    "it permits nothing: name some of send, receive, browse, create, delete and manage");
        }
    }

    /** Returns what counts of a rule that has a pattern. */
    AccessRule rule() {
        return new AccessRule(new AddressPattern(match), users, groups, permissions);
    }

    private static Refusal.Refused refused(String code, String name, String why) {
        return new Refusal.Refused(
                new Refusal(Refusal.Reason.INVALID, code, "rule '" + Printable.value(name) + "' is not set: " + why));
    }
}
