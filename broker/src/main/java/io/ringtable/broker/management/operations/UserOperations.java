package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.admin.Users;
import io.ringtable.broker.config.SecurityProperties.User;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Listing;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementRefused;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.management.QueryParameter.Type;
import io.ringtable.broker.management.operations.AccessOperations.Source;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingDocument;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.setting.access.RuntimeAccess;
import io.ringtable.broker.setting.access.StoredUser;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lists, sets and deletes users. Those of the configuration are shown and stay as they are.
 * <p>
 * Thread: any; hashes are made on threads of the common pool.
 */
public final class UserOperations {
    private final Supplier<ManagedShard> shard;
    private final RuntimeAccess access;

    /** @param shard refuses the call while this node does not own the shard */
    public UserOperations(Supplier<ManagedShard> shard, RuntimeAccess access) {
        this.shard = shard;
        this.access = access;
    }

    /**
     * Shows a user. A bound that is absent is that of all users; 0 = no bound.
     *
     * @param passwordKind how the password is stored, such as scram-sha-256; external = a certificate alone
     * @param changedBy user who set it last, empty = there were no users; null if it is of the configuration
     * @param changedAt null if it is of the configuration
     */
    public record UserView(
            String name,
            Set<String> groups,
            Integer connectionsMax,
            Integer messagesPerSecond,
            Long bytesPerSecond,
            String passwordKind,
            Source source,
            String changedBy,
            Instant changedAt) {

        private static UserView of(User configured) {
            return new UserView(
                    configured.name(),
                    configured.groups(),
                    configured.connectionsMax(),
                    configured.messagesPerSecond(),
                    configured.bytesPerSecond() == null
                            ? null
                            : configured.bytesPerSecond().toBytes(),
                    kindOf(configured.password()),
                    Source.CONFIGURATION,
                    null,
                    null);
        }

        private static UserView of(Setting setting, StoredUser user) {
            return new UserView(
                    setting.name(),
                    user.groups(),
                    user.connectionsMax(),
                    user.messagesPerSecond(),
                    user.bytesPerSecond(),
                    kindOf(user.passwordHash()),
                    Source.RUNTIME,
                    setting.changedBy(),
                    setting.changedAt());
        }

        private static String kindOf(String stored) {
            return stored.substring(1, Math.max(1, stored.indexOf('}')));
        }
    }

    /**
     * Says what a user is to be. An absent field leaves what is there; a new user needs one of the first two. In each
     * of the last three 0 is no bound, and -1 the bound of all users.
     *
     * @param password in plain text; a hash is stored
     * @param passwordHash as bin/ringtable password prints it, or {external} for a user with a certificate alone
     * @param connectionsMax connections that are open at once; more stay open if there are more already
     * @param messagesPerSecond that the user publishes
     * @param bytesPerSecond of messages that the user publishes
     */
    public record NewUser(
            String password,
            String passwordHash,
            Set<String> groups,
            Integer connectionsMax,
            Integer messagesPerSecond,
            Long bytesPerSecond) {

        private static final int AS_ALL = -1;

        /** Returns what is to be stored. @param known what is there; null if the user is new */
        private StoredUser over(StoredUser known, String hash) {
            StoredUser before = known == null ? new StoredUser(hash, Set.of(), null, null, null) : known;
            return new StoredUser(
                    hash,
                    groups == null ? before.groups() : groups,
                    over(connectionsMax, before.connectionsMax()),
                    over(messagesPerSecond, before.messagesPerSecond()),
                    over(bytesPerSecond, before.bytesPerSecond()));
        }

        private static <T extends Number> T over(T wanted, T before) {
            if (wanted == null) {
                return before;
            }
            return wanted.longValue() == AS_ALL ? null : wanted;
        }

        @Override
        public String toString() {
            return "NewUser" + groups; // without the password
        }
    }

    public List<Operation> operations() {
        return List.of(
                Operation.get("/users", "Lists users, those of the configuration too.")
                        .needs(Role.VIEWER)
                        .query(Call.FILTER, Type.TEXT, "Text that the name contains, whatever the case.")
                        .lists(UserView.class)
                        .does(this::list),
                Operation.put(
                                "/users/{name}",
                                "Makes or changes a user, who may log in at once. Another password closes the user's"
                                        + " connections; another rate counts for them at once.")
                        .takes(NewUser.class)
                        .hides("password", "passwordHash")
                        .answers(UserView.class)
                        .asks(this::put),
                Operation.delete("/users/{name}", "Deletes a user and closes its connections.")
                        .query("force", Type.FLAG, "Whether the last user goes too, so that nobody logs in any more.")
                        .at(Places::settings)
                        .asks(this::delete));
    }

    private Listing<UserView> list(Call call) {
        List<UserView> all = new ArrayList<>();
        users().configured().forEach(user -> all.add(UserView.of(user)));
        for (Setting setting : shard.get().doors().lookup().settings(SettingKind.USER)) {
            if (!users().isConfigured(setting.name())) { // else it does not count
                SettingDocument.read(setting, StoredUser.class).ifPresent(user -> all.add(UserView.of(setting, user)));
            }
        }
        Predicate<String> filter = call.filter();
        return call.page()
                .of(
                        all.stream()
                                .filter(view -> filter.test(view.name()))
                                .sorted(Comparator.comparing(UserView::name)),
                        UserView::name,
                        view -> view);
    }

    private CompletionStage<ManagementAnswer> put(Call call) {
        ManagedShard now = shard.get();
        String name = call.path("name");
        NewUser wanted = call.body(NewUser.class);
        refuseConfigured(name);
        if (call.isElsewhere(Places.SETTINGS)) {
            return passOn(call, name, wanted);
        }
        if (wanted.password() != null
                && (wanted.passwordHash() != null || wanted.password().isEmpty())) {
            throw ManagementRefused.badRequest(
                    "RT-7626",
                    "user '" + Printable.value(name)
                            + "' is not set: give a password that is not empty, or a passwordHash, and not both");
        }
        Setting before = now.doors().lookup().setting(SettingKind.USER, name);
        StoredUser known = before == null
                ? null
                : SettingDocument.read(before, StoredUser.class).orElse(null);
        if (known == null && wanted.password() == null && wanted.passwordHash() == null) {
            throw ManagementRefused.badRequest(
                    "RT-7638",
                    "new user '" + Printable.value(name) + "' is not set: give a password or a passwordHash");
        }
        return hash(name, wanted, known).thenCompose(hash -> {
            StoredUser user = wanted.over(known, hash);
            user.check(name);
            Setting setting = AccessOperations.setting(call, SettingKind.USER, name, user);
            UserView view = UserView.of(setting, user);
            return now.doors()
                    .catalog()
                    .putSetting(setting)
                    .thenApply(done -> before == null ? ManagementAnswer.created(view) : ManagementAnswer.of(view));
        });
    }

    /** Has the node that serves the settings do it, and tells no password on the way. */
    private CompletionStage<ManagementAnswer> passOn(Call call, String name, NewUser wanted) {
        ObjectNode body = (ObjectNode) call.rawBody().deepCopy();
        boolean isToBeHashed =
                wanted.password() != null && !wanted.password().isEmpty() && wanted.passwordHash() == null;
        if (wanted.password() != null) {
            body.put("password", ""); // which the node refuses, unless there is a hash alone
        }
        return !isToBeHashed
                ? call.passOn(Places.SETTINGS, body)
                : hash(name, wanted, null).thenCompose(hash -> {
                    body.remove("password");
                    return call.passOn(Places.SETTINGS, body.put("passwordHash", hash));
                });
    }

    private CompletionStage<String> hash(String name, NewUser wanted, StoredUser known) {
        if (wanted.password() == null) {
            return CompletableFuture.completedFuture(
                    wanted.passwordHash() == null ? known.passwordHash() : wanted.passwordHash());
        }
        return CompletableFuture.supplyAsync(() -> users().hash(name, wanted.password()));
    }

    private CompletionStage<Void> delete(Call call) {
        ManagedShard now = shard.get();
        String name = call.path("name");
        refuseConfigured(name);
        List<Setting> stored = now.doors().lookup().settings(SettingKind.USER);
        boolean isLast = !users().isLoginConfigured()
                && stored.size() == 1
                && stored.get(0).name().equals(name);
        if (isLast && !(access.rules().isEmpty() && access.roles().isEmpty())) {
            throw AccessOperations.conflict(
                    "RT-7639",
                    "user '" + Printable.value(name)
                            + "' is the last, and the rules and roles that there are would leave"
                            + " nobody any right: delete them first");
        }
        if (isLast && !call.flag("force")) {
            throw AccessOperations.conflict(
                    "RT-7628",
                    "user '" + Printable.value(name) + "' is the last: without users everybody on this machine may do"
                            + " everything; if that is meant, delete with force=true");
        }
        if (!isLast && call.caller().identity().name().equals(name)) {
            throw AccessOperations.conflict(
                    "RT-7647",
                    "user '" + Printable.value(name)
                            + "' does not delete itself, so that an administrator who can log in"
                            + " remains: have another one do it");
        }
        return now.doors().catalog().deleteSetting(SettingKind.USER, name);
    }

    private Users users() {
        return access.users()
                .orElseThrow(() -> AccessOperations.conflict(
                        "RT-7629", "the application that embeds this broker judges logins: users are its affair"));
    }

    private void refuseConfigured(String name) {
        if (users().isConfigured(name)) {
            throw AccessOperations.conflict(
                    "RT-7627",
                    "user '" + Printable.value(name) + "' is of the configuration (ringtable.security.users): change it"
                            + " there, or use another name");
        }
    }
}
