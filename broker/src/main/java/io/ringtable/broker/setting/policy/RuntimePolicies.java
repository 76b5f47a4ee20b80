package io.ringtable.broker.setting.policy;

import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.AddressPattern;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingDocument;
import io.ringtable.broker.setting.SettingReader;
import java.util.List;
import java.util.Optional;

/**
 * Makes the stored policies count beside those of the configuration.
 * <p>
 * Thread: committer; before it starts, the starter of the shard. Failure: a document that cannot be read does not
 * count, and the log says so.
 */
public final class RuntimePolicies {
    private final SettingReader<AddressPolicies.RuntimeRule> reader = new SettingReader<>(RuntimePolicies::rule);
    private final CurrentPolicies current;

    public RuntimePolicies(CurrentPolicies current) {
        this.current = current;
    }

    /** Replaces the stored policies by these, all of them. */
    public void apply(List<Setting> settings) {
        current.replace(reader.read(settings));
    }

    private static Optional<AddressPolicies.RuntimeRule> rule(Setting setting) {
        return SettingDocument.read(setting, StoredPolicy.class)
                .map(policy -> new AddressPolicies.RuntimeRule(new AddressPattern(setting.name()), policy.change()));
    }
}
