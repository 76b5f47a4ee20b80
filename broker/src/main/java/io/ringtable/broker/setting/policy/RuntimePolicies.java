package io.ringtable.broker.setting.policy;

import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.AddressPattern;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingDocument;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the stored policies count beside those of the configuration.
 * <p>
 * Thread: committer; before it starts, the starter of the shard. Failure: a document that cannot be read does not
 * count, and the log says so.
 */
public final class RuntimePolicies {
    private final CurrentPolicies current;

    public RuntimePolicies(CurrentPolicies current) {
        this.current = current;
    }

    /** Replaces the stored policies by these, all of them. */
    public void apply(List<Setting> settings) {
        List<AddressPolicies.RuntimeRule> rules = new ArrayList<>();
        for (Setting setting : settings) {
            SettingDocument.read(setting, StoredPolicy.class)
                    .ifPresent(policy -> rules.add(
                            new AddressPolicies.RuntimeRule(new AddressPattern(setting.name()), policy.change())));
        }
        current.replace(rules);
    }
}
