package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.access.AccessRules;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.access.Permission;
import io.ringtable.broker.config.ConfigurationRefused;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Rules as the configuration has them; a bad one is refused with its property and the cure. */
@ExtendWith(OutputCaptureExtension.class)
class ConfiguredAccessTest {
    private static final String RULE = "ringtable.security.rules[0].";

    private static TestSettings withUser() {
        return TestSettings.of(
                "ringtable.security.users[0].name", "ann",
                "ringtable.security.users[0].password", "{noop}secret",
                "ringtable.security.users[0].groups", "traders");
    }

    private static AccessRules rules(TestSettings settings) {
        return ConfiguredAccess.of(settings.logins());
    }

    @Test
    void readsRules(CapturedOutput output) {
        AccessRules rules = rules(withUser()
                .with(RULE + "match", "orders.#", RULE + "groups", "traders", RULE + "permissions", "send,Create"));

        Identity trader = new Identity("ann", Set.of("traders"));
        assertThat(rules.of(trader).on("orders.eu")).containsExactly(Permission.SEND, Permission.CREATE);
        assertThat(rules.of(Identity.of("ann")).on("orders.eu")).isEmpty();
        assertThat(output).doesNotContain("RT-1084");
    }

    @Test
    void withoutRulesNothingIsLimited() {
        assertThat(rules(withUser()).isEmpty()).isTrue();
        assertThat(rules(TestSettings.of()).isEmpty()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    orders*  | ann | traders | send      | RT-1081 ringtable.security.rules[0].match='orders*' \
                            | stand for whole words
                    queue://orders | ann | traders | send | RT-1081 ringtable.security.rules[0].match='queue://orders' \
                            | no queue://
                    orders   |     |         | send      | RT-1082 ringtable.security.rules[0] (match 'orders') \
                            | is for nobody: name users or groups
                    orders   | ann | *       | send      | RT-1083 ringtable.security.rules[0] (match 'orders') \
                            | write users: '*'
                    orders   | ann | traders |           | RT-1002 ringtable.security.rules[0].permissions \
                            | is empty: name some of send
                    orders   | ann | traders | send,fly  | RT-1002 ringtable.security.rules[0].permissions=send,fly \
                            | is not a list, each one of send, receive, browse, create, delete, manage
                             | ann | traders | send      | RT-1002 ringtable.security.rules[0].match \
                            | is empty: name addresses
                    """)
    void refusesABadRuleByItsPropertyWithTheCure(
            String match, String users, String groups, String permissions, String refusal, String cure) {
        TestSettings settings = withUser()
                .with(RULE + "match", match, RULE + "users", users, RULE + "groups", groups)
                .with(RULE + "permissions", permissions);

        assertThatThrownBy(() -> rules(settings))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith(refusal)
                .hasMessageContaining(cure);
    }

    @Test
    void refusesRulesWhereNobodyLogsIn() {
        TestSettings settings =
                TestSettings.of(RULE + "match", "orders", RULE + "users", "*", RULE + "permissions", "send");

        assertThatThrownBy(() -> rules(settings))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1080 ringtable.security.rules")
                .hasMessageContaining("ringtable.security.users is empty");
    }

    @Test
    void warnsOfNamesThatNoUserHas(CapturedOutput output) {
        rules(withUser().with(RULE + "match", "orders", RULE + "users", "anne", RULE + "permissions", "send"));

        assertThat(output).contains("RT-1084").contains("[anne]");
    }
}
