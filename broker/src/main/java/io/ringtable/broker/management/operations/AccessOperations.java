package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.AccessRule;
import io.ringtable.broker.access.Permission;
import io.ringtable.broker.access.Role;
import io.ringtable.broker.access.Roles;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Listing;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementRefused;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.management.QueryParameter.Type;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingDocument;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.setting.access.RuntimeAccess;
import io.ringtable.broker.setting.access.StoredRole;
import io.ringtable.broker.setting.access.StoredRule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Lists, sets and deletes the rules and roles that are set at run time. No change leaves the broker without an
 * administrator: whoever makes it stays one.
 * <p>
 * Thread: any.
 */
public final class AccessOperations {
    private final Supplier<ManagedShard> shard;
    private final RuntimeAccess access;

    /** @param shard refuses the call while this node does not own the shard */
    public AccessOperations(Supplier<ManagedShard> shard, RuntimeAccess access) {
        this.shard = shard;
        this.access = access;
    }

    /** Says where something is set. */
    public enum Source {
        CONFIGURATION,
        RUNTIME
    }

    /**
     * Shows a rule.
     *
     * @param name of one of the configuration its property
     * @param changedBy user who set it last, empty = there were no users; null if it is of the configuration
     * @param changedAt null if it is of the configuration
     */
    public record RuleView(
            String name,
            String match,
            Set<String> users,
            Set<String> groups,
            Set<Permission> permissions,
            Source source,
            String changedBy,
            Instant changedAt) {

        private static RuleView of(Setting setting, StoredRule rule) {
            return new RuleView(
                    setting.name(),
                    rule.match(),
                    rule.users(),
                    rule.groups(),
                    rule.permissions(),
                    Source.RUNTIME,
                    setting.changedBy(),
                    setting.changedAt());
        }
    }

    /**
     * Shows who has a role.
     *
     * @param users who were given it at run time
     * @param groups that were given it at run time
     * @param configuredUsers who have it by the configuration
     * @param configuredGroups that have it by the configuration
     */
    public record RoleView(
            Role role,
            Set<String> users,
            Set<String> groups,
            Set<String> configuredUsers,
            Set<String> configuredGroups,
            String changedBy,
            Instant changedAt) {}

    public List<Operation> operations() {
        return List.of(
                Operation.get("/rules", "Lists the rules that say what users may do, those of the configuration too.")
                        .needs(Role.VIEWER)
                        .query(Call.FILTER, Type.TEXT, "Text that the name contains, whatever the case.")
                        .lists(RuleView.class)
                        .does(this::listRules),
                Operation.put("/rules/{name}", "Sets a rule; it counts at once, also for links that are open.")
                        .takes(StoredRule.class)
                        .answers(RuleView.class)
                        .at(Places::settings)
                        .asks(this::putRule),
                Operation.delete(
                                "/rules/{name}",
                                "Deletes a rule that was set at run time. Without any rule every user may do"
                                        + " everything.")
                        .query("force", Type.FLAG, "Whether the last rule goes too.")
                        .at(Places::settings)
                        .asks(this::deleteRule),
                Operation.get("/roles", "Lists who has which role.")
                        .needs(Role.VIEWER)
                        .query(Call.FILTER, Type.TEXT, "Text that the role's name contains, whatever the case.")
                        .lists(RoleView.class)
                        .does(this::listRoles),
                Operation.put(
                                "/roles/{role}",
                                "Says who has a role beside those of the configuration; nobody if both lists are"
                                        + " empty.")
                        .takes(StoredRole.class)
                        .answers(RoleView.class)
                        .at(Places::settings)
                        .asks(this::putRole));
    }

    // ---- rules

    private Listing<RuleView> listRules(Call call) {
        List<RuleView> all = new ArrayList<>();
        List<AccessRule> configured = access.configuredRules().all();
        for (int i = 0; i < configured.size(); i++) {
            AccessRule rule = configured.get(i);
            all.add(new RuleView(
                    "ringtable.security.rules[" + i + "]",
                    rule.match().toString(),
                    rule.users(),
                    rule.groups(),
                    rule.permissions(),
                    Source.CONFIGURATION,
                    null,
                    null));
        }
        for (Setting setting : shard.get().doors().lookup().settings(SettingKind.RULE)) {
            SettingDocument.read(setting, StoredRule.class).ifPresent(rule -> all.add(RuleView.of(setting, rule)));
        }
        Predicate<String> filter = call.filter();
        return call.page()
                .of(
                        all.stream()
                                .filter(view -> filter.test(view.name()))
                                .sorted(Comparator.comparing(RuleView::name)),
                        RuleView::name,
                        view -> view);
    }

    private CompletionStage<ManagementAnswer> putRule(Call call) {
        ManagedShard now = shard.get();
        String name = call.path("name");
        StoredRule rule = call.body(StoredRule.class);
        rule.check(name);
        if (!access.isLoginNeeded()) {
            throw conflict(
                    "RT-7633",
                    "rule '" + Printable.value(name)
                            + "' would leave nobody any right, as nobody logs in: PUT /users/{name} first");
        }
        if (!access.roles().of(call.caller().identity()).includes(Role.ADMINISTRATOR)) {
            throw conflict(
                    "RT-7634",
                    "with the first rule only those with a role administer the broker, and '"
                            + Printable.value(call.caller().user())
                            + "' has none: PUT /roles/administrator first, with yourself among the users");
        }
        Setting before = now.doors().lookup().setting(SettingKind.RULE, name);
        Setting setting = setting(call, SettingKind.RULE, name, rule);
        return now.doors()
                .catalog()
                .putSetting(setting)
                .thenApply(done -> before == null
                        ? ManagementAnswer.created(RuleView.of(setting, rule))
                        : ManagementAnswer.of(RuleView.of(setting, rule)));
    }

    // ---- roles

    private Listing<RoleView> listRoles(Call call) {
        ManagedShard now = shard.get();
        Predicate<String> filter = call.filter();
        Stream<Role> roles = Stream.of(Role.values())
                .filter(role -> role != Role.NONE && filter.test(role.toString()))
                .sorted(Comparator.comparing(Role::toString));
        return call.page().of(roles, Role::toString, role -> view(now, role));
    }

    private RoleView view(ManagedShard now, Role role) {
        Setting setting = now.doors().lookup().setting(SettingKind.ROLE, role.toString());
        StoredRole stored = setting == null
                ? StoredRole.NOBODY
                : SettingDocument.read(setting, StoredRole.class).orElse(StoredRole.NOBODY);
        return view(role, stored, setting);
    }

    private RoleView view(Role role, StoredRole stored, Setting setting) {
        Roles.Members configured =
                access.configuredRoles().members().getOrDefault(role, new Roles.Members(Set.of(), Set.of()));
        return new RoleView(
                role,
                stored.users(),
                stored.groups(),
                configured.users(),
                configured.groups(),
                setting == null ? null : setting.changedBy(),
                setting == null ? null : setting.changedAt());
    }

    private CompletionStage<RoleView> putRole(Call call) {
        ManagedShard now = shard.get();
        Role role = role(call.path("role"));
        StoredRole stored = call.body(StoredRole.class);
        stored.check(role.toString());
        if (!access.isLoginNeeded()) {
            throw conflict("RT-7643", "nobody has a name that could have a role: PUT /users/{name} first");
        }
        if (!access.rolesWith(role, stored).of(call.caller().identity()).includes(Role.ADMINISTRATOR)) {
            throw conflict(
                    "RT-7644",
                    "'" + Printable.value(call.caller().user())
                            + "' would no longer be an administrator, and perhaps nobody: add yourself to the role"
                            + " administrator, or let another administrator do this");
        }
        if (stored.givesNobody()) {
            RoleView nobody = view(role, stored, null);
            return now.doors().lookup().setting(SettingKind.ROLE, role.toString()) == null
                    ? CompletableFuture.completedFuture(nobody)
                    : now.doors()
                            .catalog()
                            .deleteSetting(SettingKind.ROLE, role.toString())
                            .thenApply(done -> nobody);
        }
        Setting setting = setting(call, SettingKind.ROLE, role.toString(), stored);
        return now.doors().catalog().putSetting(setting).thenApply(done -> view(role, stored, setting));
    }

    private CompletionStage<Void> deleteRule(Call call) {
        ManagedShard now = shard.get();
        String name = call.path("name");
        boolean isLast =
                access.rules().all().size() == 1 && now.doors().lookup().setting(SettingKind.RULE, name) != null;
        if (isLast && !call.flag("force")) {
            throw conflict(
                    "RT-7648",
                    "rule '" + Printable.value(name) + "' is the last: without rules every user may send, receive and"
                            + " delete everything; if that is meant, delete with force=true");
        }
        return now.doors().catalog().deleteSetting(SettingKind.RULE, name);
    }

    private static Role role(String name) {
        return Stream.of(Role.values())
                .filter(role -> role != Role.NONE && role.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> ManagementRefused.notFound(
                        "RT-7641",
                        "there is no role '" + Printable.value(name) + "': there are viewer, operator and"
                                + " administrator"));
    }

    static Setting setting(Call call, SettingKind kind, String name, Object document) {
        return new Setting(
                kind,
                name,
                SettingDocument.write(document),
                call.caller().identity().name(),
                Instant.now());
    }

    static ManagementRefused conflict(String code, String text) {
        return new ManagementRefused(409, code, text);
    }
}
