package io.ringtable.broker;

import io.ringtable.broker.access.AccessRule;
import io.ringtable.broker.access.AccessRules;
import io.ringtable.broker.access.Role;
import io.ringtable.broker.access.Roles;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.login.LoginRules;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the rules of access from their properties, and refuses those that cannot mean what they say. */
final class ConfiguredAccess {
    private static final Logger LOG = LoggerFactory.getLogger(ConfiguredAccess.class);

    private ConfiguredAccess() {}

    /** @throws ConfigurationRefused if a rule is for nobody or for no address, or nobody logs in */
    static AccessRules of(LoginRules logins) {
        SecurityProperties security = logins.bounds();
        List<AccessRule> rules = new ArrayList<>();
        for (int i = 0; i < security.rules().size(); i++) {
            rules.add(
                    rule("ringtable.security.rules[" + i + "]", security.rules().get(i)));
        }
        AccessRules all = new AccessRules(rules);
        check(all, logins);
        if (logins.tokens() == null) { // else users and groups come from elsewhere too
            warnOfStrangers(security);
        }
        return all;
    }

    /** @throws ConfigurationRefused if somebody has a role, and nobody logs in */
    static Roles roles(LoginRules logins) {
        SecurityProperties.RoleMembers configured = logins.bounds().roles();
        Roles roles = new Roles(Map.of(
                Role.VIEWER, members(configured.viewer()),
                Role.OPERATOR, members(configured.operator()),
                Role.ADMINISTRATOR, members(configured.administrator())));
        if (!roles.isEmpty() && logins.isOpenToAll()) {
            throw new ConfigurationRefused(
                    "RT-1085",
                    "ringtable.security.roles names users or groups and ringtable.security.users is empty, so that"
                            + " nobody has a role: add the users, or remove the roles");
        }
        return roles;
    }

    private static Roles.Members members(SecurityProperties.Members configured) {
        return new Roles.Members(configured.users(), configured.groups());
    }

    /** @throws ConfigurationRefused if there are rules and nobody logs in, so that nobody could do anything */
    static void check(AccessRules rules, LoginRules logins) {
        if (!rules.isEmpty() && logins.isOpenToAll()) {
            throw new ConfigurationRefused(
                    "RT-1080",
                    "ringtable.security.rules has rules and ringtable.security.users is empty, so that nobody could do"
                            + " anything: add the users that the rules are for, or remove the rules");
        }
    }

    private static AccessRule rule(String property, SecurityProperties.Rule rule) {
        AddressPattern match = new AddressPattern(rule.match());
        if (match.hasWildcardInsideWord() || Address.hasKindPrefix(rule.match())) {
            throw new ConfigurationRefused(
                    "RT-1081",
                    property + ".match='" + rule.match() + "' matches no address as it is meant: * and # stand for"
                            + " whole words between dots, as in orders.*.new. A name has no queue:// or topic://"
                            + " before it");
        }
        if (rule.users().isEmpty() && rule.groups().isEmpty()) {
            throw new ConfigurationRefused(
                    "RT-1082",
                    property + " (match '" + rule.match() + "') is for nobody: name users or groups, or write users: '"
                            + AccessRule.EVERY_USER + "' for every user");
        }
        if (rule.groups().contains(AccessRule.EVERY_USER)
                || rule.users().stream().anyMatch(String::isBlank)
                || rule.groups().stream().anyMatch(String::isBlank)) {
            throw new ConfigurationRefused(
                    "RT-1083",
                    property + " (match '" + rule.match() + "') has an empty name, or groups '" + AccessRule.EVERY_USER
                            + "': name the users and groups, or write users: '" + AccessRule.EVERY_USER
                            + "' for every user");
        }
        return new AccessRule(match, rule.users(), rule.groups(), rule.permissions());
    }

    /** Warns of names that may be misspelt: their rule gives nobody anything. */
    private static void warnOfStrangers(SecurityProperties security) {
        Set<String> users =
                security.users().stream().map(SecurityProperties.User::name).collect(Collectors.toSet());
        Set<String> groups = security.users().stream()
                .flatMap(user -> user.groups().stream())
                .collect(Collectors.toSet());
        users.add(AccessRule.EVERY_USER);
        Set<String> strangers = new TreeSet<>();
        for (SecurityProperties.Rule rule : security.rules()) {
            rule.users().stream().filter(name -> !users.contains(name)).forEach(strangers::add);
            rule.groups().stream().filter(name -> !groups.contains(name)).forEach(strangers::add);
        }
        if (!strangers.isEmpty()) {
            LOG.warn(
                    "RT-1084 ringtable.security.rules names users or groups that ringtable.security.users does not"
                            + " have: {}; correct them, or add them there",
                    strangers);
        }
    }
}
