package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Administrators set what is durable when they are told so, within bounds, and what is there after a crash. */
class SettingChangesTest extends SteppedTest {
    private static final Instant AT = Instant.ofEpochMilli(1_800_000_000_123L);

    private static Setting setting(SettingKind kind, String name, String document) {
        return new Setting(kind, name, document, "root", AT.plusNanos(1)); // kept to the millisecond
    }

    private CatalogMailbox catalog() {
        return shard.doors.catalog();
    }

    @Test
    void whatIsSetIsThereByNameAndAfterACrash() {
        List<String> told = new ArrayList<>();
        shard.state
                .catalog()
                .settings()
                .listen(
                        SettingKind.USER,
                        () -> told.add("users: "
                                + shard.doors
                                        .lookup()
                                        .settings(SettingKind.USER)
                                        .size()));
        shard.await(catalog().putSetting(setting(SettingKind.USER, "bob", "{}")));
        shard.await(catalog().putSetting(setting(SettingKind.USER, "ann", "{\"a\":1}")));
        shard.await(catalog().putSetting(setting(SettingKind.USER, "ann", "{\"a\":2}")));
        shard.await(catalog().putSetting(setting(SettingKind.RULE, "ann", "{}")));
        shard.await(catalog().deleteSetting(SettingKind.USER, "bob"));
        assertThat(told).containsExactly("users: 1", "users: 2", "users: 2", "users: 1");
        shard.crashAndRestart();
        assertThat(shard.doors.lookup().settings(SettingKind.USER))
                .containsExactly(new Setting(SettingKind.USER, "ann", "{\"a\":2}", "root", AT));
        assertThat(shard.doors.lookup().setting(SettingKind.RULE, "ann").document())
                .isEqualTo("{}");
        assertThat(shard.doors.lookup().setting(SettingKind.USER, "bob")).isNull();
        assertThat(shard.doors.lookup().settings(SettingKind.JOB)).isEmpty();
    }

    @Test
    void whatIsThereIsKnownWhereNobodyKnowsWhetherItWasWritten() {
        failOnce("alter", Fault.after(Kind.OUTCOME_UNKNOWN));
        shard.await(catalog().putSetting(setting(SettingKind.USER, "ann", "{}")));
        failOnce("alter", Fault.before(Kind.OUTCOME_UNKNOWN));
        shard.await(catalog().putSetting(setting(SettingKind.USER, "ann", "{\"a\":2}")));
        failOnce("alter", Fault.after(Kind.OUTCOME_UNKNOWN));
        shard.await(catalog().putSetting(setting(SettingKind.RULE, "ann", "{}")));
        failOnce("alter", Fault.after(Kind.OUTCOME_UNKNOWN));
        shard.await(catalog().deleteSetting(SettingKind.RULE, "ann"));
        shard.crashAndRestart();
        assertThat(shard.doors.lookup().setting(SettingKind.USER, "ann").document())
                .isEqualTo("{\"a\":2}");
        assertThat(shard.doors.lookup().settings(SettingKind.RULE)).isEmpty();
    }

    @Test
    void whatHasNoRoomIsRefusedAndWhatIsReplacedNeedsNone() {
        for (int i = 0; i < SettingKind.ROLE.most(); i++) {
            shard.await(catalog().putSetting(setting(SettingKind.ROLE, "role " + i, "{}")));
        }
        isRefused(catalog().putSetting(setting(SettingKind.ROLE, "one more", "{}")), "RT-7603");
        shard.await(catalog().putSetting(setting(SettingKind.ROLE, "role 0", "{\"users\":[]}")));
        shard.await(catalog().deleteSetting(SettingKind.ROLE, "role 1"));
        shard.await(catalog().putSetting(setting(SettingKind.ROLE, "one more", "{}")));

        String longest = "x".repeat(Setting.DOCUMENT_MAX);
        int fit = (int) (16L << 20) / Setting.DOCUMENT_MAX - 1; // beside the roles
        for (int i = 0; i < fit; i++) {
            catalog().putSetting(setting(SettingKind.JOB, "job " + i, longest));
        }
        isRefused(catalog().putSetting(setting(SettingKind.JOB, "too long", longest)), "RT-7604");
        shard.await(catalog().putSetting(setting(SettingKind.JOB, "job 0", longest)));
        shard.await(catalog().deleteSetting(SettingKind.JOB, "job 1"));
        shard.await(catalog().putSetting(setting(SettingKind.JOB, "no longer too long", longest)));
    }

    @Test
    void whatCannotBeIsRefusedWithWhatIsWrong() {
        isRefused(catalog().deleteSetting(SettingKind.USER, "nobody"), "RT-7605 there is no user 'nobody'");
        assertThatThrownBy(() -> setting(SettingKind.USER, "", "{}")).hasMessageContaining("RT-7601 user ''");
        assertThatThrownBy(() -> setting(SettingKind.USER, "a\nb", "{}")).hasMessageContaining("RT-7601");
        assertThatThrownBy(() -> setting(SettingKind.RULE, "r", "\uD800")).hasMessageContaining("half of a surrogate");
        assertThatThrownBy(() -> setting(SettingKind.RULE, "r", "x".repeat(Setting.DOCUMENT_MAX + 1)))
                .hasMessageContaining("RT-7602 rule 'r' has 32769 characters");
        assertThatThrownBy(() -> new Setting(SettingKind.RULE, "r", "{}", "x".repeat(401), AT))
                .hasMessageContaining("RT-7601");
    }

    private void isRefused(CompletionStage<?> stage, String text) {
        shard.run();
        assertThatThrownBy(() -> stage.toCompletableFuture().join()).hasMessageContaining(text);
    }
}
