package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What runs per flush, per read and per reclaim goes by the named key, with tables that are not empty. */
abstract class QueryPlansContract {

    abstract StoreFixture fixture();

    @Test
    void hotStatementsUseTheirKeys() throws Exception {
        StoreFixture f = fixture();
        AddressRow topic = f.topic("orders", 2);
        f.publish(topic, 4096);
        f.reclaim(1024);
        assertThat(f.database.hotPlans())
                .isNotEmpty()
                .allSatisfy(plan -> assertThat(plan.plan())
                        .as(plan.statement())
                        .contains(plan.key())
                        .doesNotContain(plan.forbidden()));
    }
}
