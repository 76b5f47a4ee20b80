package io.ringtable.broker.dispatch.policy;

import static io.ringtable.broker.message.AddressKind.QUEUE;
import static io.ringtable.broker.message.AddressKind.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressPattern;
import io.ringtable.broker.message.QuotaLimits;
import io.ringtable.broker.message.Refusal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

/** Tests which addresses the broker creates at their first mention. */
class AddressPoliciesTest {
    private final AddressPolicies policies = new AddressPolicies(
            List.of(
                    new AddressPolicies.Rule("orders.#", policy(Set.of(QUEUE), TOPIC, "dead.orders")),
                    new AddressPolicies.Rule("events.#", policy(Set.of(QUEUE, TOPIC), TOPIC, "DLQ")),
                    new AddressPolicies.Rule("news.#", policy(Set.of(TOPIC), QUEUE, "DLQ"))),
            policy(Set.of(), QUEUE, "DLQ"),
            Map.of("prices", TOPIC, "orders.urgent", TOPIC));

    @Test
    void theKindThatIsNamedIsCreatedWhereThePolicyOfThePatternAllowsIt() {
        assertThat(policies.kindOf("orders.eu", QUEUE)).isEqualTo(QUEUE);
        assertThat(policies.kindOf("events.eu", QUEUE)).isEqualTo(QUEUE);
        assertThat(policies.kindOf("events.eu", TOPIC)).isEqualTo(TOPIC);
        assertThat(policies.kindOf("news.eu", TOPIC)).isEqualTo(TOPIC);
        isNotCreated("orders.eu", TOPIC)
                .hasMessage(
                        "RT-2012 there is no topic 'orders.eu', and auto-create=queue of ringtable.dispatch.addresses"
                                + " 'orders.#' creates none: name a queue, declare it in ringtable.topics, or change"
                                + " that policy");
        isNotCreated("news.eu", QUEUE).hasMessageContaining("name a topic, declare it in ringtable.queues");
        isNotCreated("other", QUEUE)
                .hasMessage(
                        "RT-2012 there is no queue 'other', and auto-create=none of ringtable.dispatch creates none:"
                                + " declare it in ringtable.queues, or change that policy");
    }

    @Test
    void whereNobodySaysItIsTheDefaultKindUnlessOnlyTheOtherIsCreated() {
        assertThat(policies.kindOf("events.eu", null)).isEqualTo(TOPIC);
        assertThat(policies.kindOf("orders.eu", null)).isEqualTo(QUEUE);
        assertThat(policies.kindOf("news.eu", null)).isEqualTo(TOPIC);
        isNotCreated("other", null).hasMessageContaining("no queue 'other'");
    }

    @Test
    void whatTheConfigurationNamesIsCreatedWhateverThePolicySays() {
        assertThat(policies.kindOf("prices", TOPIC)).isEqualTo(TOPIC);
        assertThat(policies.kindOf("prices", null)).isEqualTo(TOPIC);
        assertThat(policies.kindOf("orders.urgent", TOPIC)).isEqualTo(TOPIC);
        assertThat(policies.kindOf("DLQ", null)).isEqualTo(QUEUE);
        assertThat(policies.kindOf("dead.orders", QUEUE)).isEqualTo(QUEUE);
        assertThat(policies.kindOf("expired", QUEUE)).isEqualTo(QUEUE);
        isNotCreated("prices", QUEUE);
        isNotCreated("DLQ", TOPIC);
    }

    @Test
    void aRuleOfRunTimeChangesWhatItSaysOfTheConfiguredPolicyAndTheMostSpecificOneCounts() {
        AddressPolicies changed = policies.with(List.of(
                runtime("orders.#", change(7, "dead.elsewhere", null)),
                runtime("orders.eu", change(2, null, null)),
                runtime("prices", change(null, null, Set.of(QUEUE)))));

        assertThat(changed.of("orders.eu"))
                .isEqualTo(new AddressPolicy(Set.of(QUEUE), TOPIC, 2, "dead.orders", "expired", 0, 1, 0, false));
        assertThat(changed.of("orders.us").deliveriesMax()).isEqualTo(7);
        assertThat(changed.of("orders.us").deadLetterQueue()).isEqualTo("dead.elsewhere");
        assertThat(changed.of("news.eu")).isEqualTo(policies.of("news.eu"));
        assertThat(changed.destinations()).containsExactlyInAnyOrder("DLQ", "dead.orders", "dead.elsewhere", "expired");
        assertThat(changed.kindOf("dead.elsewhere", null)).isEqualTo(QUEUE);
        assertThatThrownBy(() -> changed.with(List.of(runtime("new", change(null, null, Set.of()))))
                        .kindOf("new", QUEUE))
                .hasMessageContaining("auto-create=none of the policy 'new', set at run time, creates none");
        assertThat(changed.with(List.of())).isEqualTo(policies);
    }

    private static AddressPolicies.RuntimeRule runtime(String pattern, PolicyChange change) {
        return new AddressPolicies.RuntimeRule(new AddressPattern(pattern), change);
    }

    private static PolicyChange change(Integer deliveriesMax, String deadLetterQueue, Set<AddressKind> autoCreate) {
        return new PolicyChange(
                autoCreate,
                null,
                deliveriesMax,
                deadLetterQueue,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    private static PolicyChange quota(Long messagesMax, Long bytesMax) {
        return new PolicyChange(
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                messagesMax,
                bytesMax,
                null,
                null);
    }

    @Test
    void aRuleOfRunTimeLimitsTheQuotaAsFarAsItSays() {
        AddressPolicies configured = policies.with(List.of(runtime("orders.#", quota(10L, 1_000L))));
        AddressPolicies changed = policies.with(
                List.of(runtime("orders.#", quota(10L, 1_000L)), runtime("orders.eu", quota(null, 2_000L))));

        assertThat(configured.quota("orders.eu")).isEqualTo(new QuotaLimits(10, 1_000));
        assertThat(changed.quota("orders.eu")).isEqualTo(new QuotaLimits(0, 2_000));
        assertThat(changed.quota("news")).isEqualTo(QuotaLimits.NONE);
        assertThat(changed.limitQuotas()).isTrue();
        assertThat(policies.limitQuotas()).isFalse();
    }

    @Test
    void onlyNamesOfRulesThatCameChangedOrWentMayHaveAnotherPolicy() {
        AddressPolicies before = policies.with(List.of(
                runtime("a.#", quota(1L, null)), runtime("b.#", quota(1L, null)), runtime("c.#", quota(1L, null))));
        AddressPolicies now = policies.with(List.of(
                runtime("a.#", quota(1L, null)), runtime("b.#", quota(2L, null)), runtime("d.#", quota(1L, null))));

        Predicate<String> different = now.differentFrom(before);

        assertThat(List.of("a.x", "b.x", "c.x", "d.x", "e.x").stream().filter(different))
                .containsExactly("b.x", "c.x", "d.x");
        assertThat(now.differentFrom(now)).rejects("a.x", "b.x");
    }

    @Test
    void namesThatTheBrokerNeedsAreReserved() {
        AddressPolicies any = new AddressPolicies(List.of(), AddressPolicy.of(3, "DLQ"));
        assertThat(any.kindOf("DLQ", QUEUE)).isEqualTo(QUEUE);
        assertThat(any.destinations()).containsExactly("DLQ");
        assertThatThrownBy(() -> any.kindOf("DLQ", TOPIC)).hasMessageContaining("RT-2343 'DLQ' is reserved");
        assertThatThrownBy(() -> any.kindOf("$own", QUEUE)).hasMessageContaining("RT-2344 '$own' is reserved");
    }

    @Test
    void deadLettersThatWouldComeBackStayWhereTheyAre() {
        AddressPolicies circle = new AddressPolicies(
                List.of(
                        new AddressPolicies.Rule("a", AddressPolicy.of(3, "b")),
                        new AddressPolicies.Rule("b", AddressPolicy.of(3, "a"))),
                AddressPolicy.of(3, "a"));
        assertThat(circle.ofReader("a").deadLetterQueue()).isEqualTo("a");
        assertThat(circle.ofReader("b").deadLetterQueue()).isEqualTo("b");
        assertThat(circle.ofReader("other").deadLetterQueue()).isEqualTo("a");
    }

    private AbstractThrowableAssert<?, ? extends Throwable> isNotCreated(String name, AddressKind wanted) {
        return assertThatThrownBy(() -> policies.kindOf(name, wanted)).isInstanceOf(Refusal.Refused.class);
    }

    private static AddressPolicy policy(Set<AddressKind> autoCreate, AddressKind defaultKind, String deadLetterQueue) {
        return new AddressPolicy(autoCreate, defaultKind, 3, deadLetterQueue, "expired", 0, 1, 0, false);
    }
}
