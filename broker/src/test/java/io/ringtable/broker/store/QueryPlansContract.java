package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Checks that every statement goes by the key that {@code plans/<engine>.properties} names; what runs often, with
 * tables that are not empty.
 */
abstract class QueryPlansContract {

    abstract StoreFixture fixture();

    @Test
    void hotStatementsUseTheirKeys() throws Exception {
        StoreFixture f = used();
        assertThat(f.database.hotPlans())
                .isNotEmpty()
                .allSatisfy(plan -> assertThat(plan.plan())
                        .as(plan.statement())
                        .contains(plan.key())
                        .doesNotContain(plan.forbidden()));
    }

    @Test
    void everyStatementHasThePlanThatIsWrittenDown() throws Exception {
        StoreFixture f = used();
        Set<String> hot = f.database.hotPlans().stream()
                .map(TestDatabase.QueryPlan::statement)
                .collect(Collectors.toSet());
        for (Map.Entry<String, String> each : ExpectedPlans.of(f.engine()).entrySet()) {
            String name = each.getKey();
            String expected = each.getValue();
            if (expected.equals(ExpectedPlans.FUNCTION)) {
                assertThat(hot).as("functions whose statements are looked at").contains(name);
                continue;
            }
            if (expected.equals(ExpectedPlans.BLOCK)) {
                continue;
            }
            String plan = f.database.plan(name);
            if (expected.startsWith(ExpectedPlans.WHOLE)) {
                assertThat(plan)
                        .as(name)
                        .contains(f.database.scan() + expected.substring(ExpectedPlans.WHOLE.length()));
                continue;
            }
            assertThat(plan).as(name).doesNotContain(f.database.scan());
            if (!expected.equals(ExpectedPlans.NONE)) {
                assertThat(plan).as(name).contains(expected.split("; "));
            }
        }
    }

    private StoreFixture used() {
        StoreFixture f = fixture();
        AddressRow topic = f.topic("orders", 2);
        f.publish(topic, 4096);
        f.reclaim(1024);
        return f;
    }
}
