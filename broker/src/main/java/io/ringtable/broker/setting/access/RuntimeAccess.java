package io.ringtable.broker.setting.access;

import io.ringtable.broker.access.AccessControl;
import io.ringtable.broker.access.AccessRule;
import io.ringtable.broker.access.AccessRules;
import io.ringtable.broker.access.Role;
import io.ringtable.broker.access.Roles;
import io.ringtable.broker.admin.Users;
import io.ringtable.broker.catalog.StoredSettings;
import io.ringtable.broker.config.SecurityProperties.User;
import io.ringtable.broker.login.LoginRules;
import io.ringtable.broker.message.AddressPattern;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingDocument;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.setting.SettingReader;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the stored users, rules and roles count beside those of the configuration.
 * <p>
 * Thread: committer, and the starter of a shard before it; any replaces the rules of the configuration. One at a time.
 * Failure: a document that cannot be read does not count, and the log says so. A failure takes rights and gives none. A
 * rule that cannot be read leaves the others in force. Where there is a stored user, nobody connects without a login.
 */
public final class RuntimeAccess {
    private static final Logger LOG = LoggerFactory.getLogger(RuntimeAccess.class);

    /** Permits nobody anything, so that what no other rule permits stays refused. */
    private static final AccessRule UNREADABLE = new AccessRule(new AddressPattern("#"), Set.of(), Set.of(), Set.of());

    private final AccessControl control;
    private final LoginRules logins;
    private final Users users; // null if others judge logins
    private final Roles configuredRoles;
    private final SettingReader<User> userReader = new SettingReader<>(this::user);
    private final SettingReader<AccessRule> ruleReader = new SettingReader<>(RuntimeAccess::rule);
    private AccessRules configuredRules;
    private List<AccessRule> storedRules = List.of();
    private volatile Map<Role, Roles.Members> storedRoles = Map.of(); // a map never changes: a new one replaces it

    /**
     * @param control has the rules and roles of the configuration
     * @param logins have the users of the configuration
     */
    public RuntimeAccess(AccessControl control, LoginRules logins) {
        this.control = control;
        this.logins = logins;
        this.users = logins.authenticator() instanceof Users configured ? configured : null;
        this.configuredRoles = control.roles();
        this.configuredRules = control.rules();
    }

    /** Applies the settings of a shard, and follows their changes as long as it runs. */
    public void follow(StoredSettings settings) {
        follow(settings, SettingKind.USER, this::applyUsers);
        follow(settings, SettingKind.RULE, this::applyRules);
        follow(settings, SettingKind.ROLE, this::applyRoles);
    }

    private static void follow(StoredSettings settings, SettingKind kind, Consumer<List<Setting>> apply) {
        apply.accept(settings.of(kind));
        settings.listen(kind, () -> apply.accept(settings.of(kind)));
    }

    // ---- what administrators see

    public synchronized AccessRules configuredRules() {
        return configuredRules;
    }

    public Roles configuredRoles() {
        return configuredRoles;
    }

    /** Returns the rules that count now. */
    public AccessRules rules() {
        return control.rules();
    }

    /** Returns the roles that count now. */
    public Roles roles() {
        return control.roles();
    }

    /** Returns the roles that would count if these had one at run time. */
    public Roles rolesWith(Role role, StoredRole stored) {
        Map<Role, Roles.Members> members = new EnumMap<>(Role.class);
        members.putAll(configuredRoles.members());
        storedRoles.forEach((other, itsMembers) -> {
            if (other != role) {
                members.merge(other, itsMembers, RuntimeAccess::union);
            }
        });
        members.merge(role, stored.members(), RuntimeAccess::union);
        return new Roles(members);
    }

    /** Tells whether clients have to log in now. */
    public boolean isLoginNeeded() {
        return !logins.isOpenToAll();
    }

    /** Returns the users; empty if the application that embeds the broker judges logins. */
    public Optional<Users> users() {
        return Optional.ofNullable(users);
    }

    // ---- changes

    /** Replaces the rules of the configuration; those of the store stay. */
    public synchronized void configured(AccessRules rules) {
        configuredRules = rules;
        control.replace(configuredRules.and(storedRules));
    }

    private synchronized void applyUsers(List<Setting> settings) {
        if (users == null) {
            return;
        }
        users.replaceStored(userReader.read(settings), !settings.isEmpty());
    }

    private Optional<User> user(Setting setting) {
        if (users.isConfigured(setting.name())) {
            LOG.warn(
                    "RT-7624 stored {} does not count: the configuration has a user of that name; delete the stored"
                            + " one, or give the configured one another name",
                    setting);
            return Optional.empty();
        }
        try {
            Optional<StoredUser> user = SettingDocument.read(setting, StoredUser.class);
            user.ifPresent(read -> read.check(setting.name()));
            return user.map(read -> read.user(setting.name()));
        } catch (Refusal.Refused refused) {
            LOG.error("RT-7625 stored {} does not count: {}", setting, refused.getMessage());
            return Optional.empty();
        }
    }

    private synchronized void applyRules(List<Setting> settings) {
        storedRules = ruleReader.read(settings);
        control.replace(configuredRules.and(storedRules));
    }

    private static Optional<AccessRule> rule(Setting setting) {
        return SettingDocument.read(setting, StoredRule.class)
                .filter(rule -> rule.match() != null)
                .map(StoredRule::rule)
                .or(() -> Optional.of(UNREADABLE));
    }

    private synchronized void applyRoles(List<Setting> settings) {
        Map<Role, Roles.Members> stored = new EnumMap<>(Role.class);
        for (Setting setting : settings) {
            Optional<Role> role = role(setting);
            SettingDocument.read(setting, StoredRole.class)
                    .ifPresent(read -> role.ifPresent(known -> stored.put(known, read.members())));
        }
        storedRoles = stored;
        Map<Role, Roles.Members> members = new EnumMap<>(Role.class);
        members.putAll(configuredRoles.members());
        stored.forEach((role, itsMembers) -> members.merge(role, itsMembers, RuntimeAccess::union));
        control.replace(new Roles(members));
    }

    private static Optional<Role> role(Setting setting) {
        Optional<Role> role = Stream.of(Role.values())
                .filter(known -> known.toString().equals(setting.name()))
                .findFirst();
        if (role.isEmpty()) {
            LOG.error("RT-7645 stored {} does not count: this version knows no such role", setting);
        }
        return role;
    }

    private static Roles.Members union(Roles.Members these, Roles.Members those) {
        Set<String> names = new HashSet<>(these.users());
        names.addAll(those.users());
        Set<String> groups = new HashSet<>(these.groups());
        groups.addAll(those.groups());
        return new Roles.Members(names, groups);
    }
}
