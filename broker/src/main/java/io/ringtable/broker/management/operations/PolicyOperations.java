package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.config.DispatchProperties.AutoCreate;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Listing;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.management.QueryParameter.Type;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingDocument;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.setting.policy.PartsCheck;
import io.ringtable.broker.setting.policy.PolicyCheck;
import io.ringtable.broker.setting.policy.StoredPolicy;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Lists, sets and deletes the policies of addresses that are set at run time. Thread: any. */
public final class PolicyOperations {
    private final Supplier<ManagedShard> shard;
    private final long quotaBytes;

    /**
     * @param shard refuses the call while this node does not own the shard
     * @param quotaBytes most bytes owed on an address where no policy says otherwise
     */
    public PolicyOperations(Supplier<ManagedShard> shard, long quotaBytes) {
        this.shard = shard;
        this.quotaBytes = quotaBytes;
    }

    /**
     * Shows a policy. A field that is absent leaves what the configuration says of the address.
     *
     * @param changedBy user who set it last; empty = there were no users
     */
    public record PolicyView(
            String pattern,
            AutoCreate autoCreate,
            AddressKind defaultKind,
            Integer deliveriesMax,
            String deadLetterQueue,
            String expiryQueue,
            Long redeliveryDelayMs,
            Double redeliveryDelayMultiplier,
            Long redeliveryDelayMaxMs,
            Boolean exclusive,
            Boolean onceByMessageId,
            Long retentionAgeMs,
            Long retentionBytes,
            Long messagesMax,
            Long bytesMax,
            String affinity,
            Integer parts,
            String changedBy,
            Instant changedAt) {

        static PolicyView of(Setting setting, StoredPolicy policy) {
            return new PolicyView(
                    setting.name(),
                    policy.autoCreate(),
                    policy.defaultKind(),
                    policy.deliveriesMax(),
                    policy.deadLetterQueue(),
                    policy.expiryQueue(),
                    policy.redeliveryDelayMs(),
                    policy.redeliveryDelayMultiplier(),
                    policy.redeliveryDelayMaxMs(),
                    policy.exclusive(),
                    policy.onceByMessageId(),
                    policy.retentionAgeMs(),
                    policy.retentionBytes(),
                    policy.messagesMax(),
                    policy.bytesMax(),
                    policy.affinity(),
                    policy.parts(),
                    setting.changedBy(),
                    setting.changedAt());
        }
    }

    public List<Operation> operations() {
        return List.of(
                Operation.get("/policies", "Lists the policies that were set at run time, by pattern.")
                        .needs(Role.VIEWER)
                        .query(Call.FILTER, Type.TEXT, "Text that the pattern contains, whatever the case.")
                        .lists(PolicyView.class)
                        .does(this::list),
                Operation.put(
                                "/policies/{pattern}",
                                "Sets what holds for the addresses that match; it counts at once, and before the"
                                        + " configuration.")
                        .takes(StoredPolicy.class)
                        .answers(PolicyView.class)
                        .at(Places::settings)
                        .asks(this::put),
                Operation.delete("/policies/{pattern}", "Deletes a policy; then the configuration counts again.")
                        .at(Places::settings)
                        .asks(this::delete));
    }

    private Listing<PolicyView> list(Call call) {
        Predicate<String> filter = call.filter();
        return call.page()
                .of(
                        shard.get().doors().lookup().settings(SettingKind.POLICY).stream()
                                .filter(setting -> filter.test(setting.name())),
                        Setting::name,
                        setting -> SettingDocument.read(setting, StoredPolicy.class)
                                .map(policy -> PolicyView.of(setting, policy))
                                .orElseGet(() -> PolicyView.of(setting, StoredPolicy.NOTHING)));
    }

    private CompletionStage<ManagementAnswer> put(Call call) {
        ManagedShard now = shard.get();
        Shard doors = now.doors();
        String pattern = call.path("pattern");
        StoredPolicy policy = call.body(StoredPolicy.class);
        new PolicyCheck(doors.lookup(), doors.policies().now(), doors.duplicateIds(), quotaBytes)
                .check(pattern, policy);
        new PartsCheck(doors.lookup(), doors.policies().now(), now.shards()).check(pattern, policy);
        Setting before = doors.lookup().setting(SettingKind.POLICY, pattern);
        Setting setting = new Setting(
                SettingKind.POLICY,
                pattern,
                SettingDocument.write(policy),
                call.caller().identity().name(),
                Instant.now());
        PolicyView view = PolicyView.of(setting, policy);
        return doors.catalog()
                .putSetting(setting)
                .thenCompose(done -> queues(doors.catalog(), policy))
                .thenApply(done -> before == null ? ManagementAnswer.created(view) : ManagementAnswer.of(view));
    }

    /** Waits for the queues that the policy names. The shard makes them, and logs those that it cannot make. */
    private static CompletionStage<Address> queues(CatalogMailbox catalog, StoredPolicy policy) {
        CompletionStage<Address> all = CompletableFuture.completedFuture(null);
        for (String name : policy.destinations()) {
            all = all.thenCompose(done -> catalog.ensure(name, AddressKind.QUEUE))
                    .exceptionally(logged -> null);
        }
        return all;
    }

    private CompletionStage<Void> delete(Call call) {
        return shard.get().doors().catalog().deleteSetting(SettingKind.POLICY, call.path("pattern"));
    }
}
