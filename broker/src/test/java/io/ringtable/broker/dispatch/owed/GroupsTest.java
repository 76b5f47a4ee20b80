package io.ringtable.broker.dispatch.owed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Messages of one group go to one consumer, and none of them overtakes an earlier one. */
class GroupsTest {
    private static final int OWNERS_MAX = 65_536;

    private final OneSubscription fixture = new OneSubscription();
    private final Groups groups = new Groups();
    private final TestRecipient one = fixture.consumer();
    private final TestRecipient other = fixture.consumer();

    private boolean given(TestRecipient consumer, Ready ready) {
        return groups.given(consumer, ready, fixture.consumers);
    }

    @Test
    void aMessageOfNoGroupIsAnybodys() {
        assertThat(groups.mayHave(one, fixture.ready(1))).isTrue();
        assertThat(groups.mayHave(other, fixture.ready(1))).isTrue();
    }

    @Test
    void theConsumerThatGetsTheFirstGetsTheOthers() {
        assertThat(groups.mayHave(other, fixture.ofGroup(1, "g"))).isTrue();
        given(one, fixture.ofGroup(1, "g"));
        assertThat(groups.mayHave(one, fixture.ofGroup(2, "g"))).isTrue();
        assertThat(groups.mayHave(other, fixture.ofGroup(2, "g"))).isFalse();
        assertThat(groups.mayHave(other, fixture.ofGroup(3, "another"))).isTrue();
    }

    @Test
    void theLastOneMakesTheGroupFree() {
        given(one, fixture.ofGroup(1, "g"));
        assertThat(given(one, fixture.lastOfGroup(2, "g")))
                .as("others may have what they might not")
                .isTrue();
        assertThat(groups.mayHave(other, fixture.ofGroup(3, "g"))).isTrue();
    }

    @Test
    void aConsumerThatGoesLeavesItsGroups() {
        given(one, fixture.ofGroup(1, "g"));
        assertThat(groups.left(other)).as("it had none").isFalse();
        assertThat(groups.left(one)).isTrue();
        assertThat(groups.mayHave(other, fixture.ofGroup(2, "g"))).isTrue();
    }

    @Test
    void whileAMessageRestsNobodyGetsALaterOneOfItsGroup() {
        Ready failed = fixture.ofGroup(5, "g");
        given(one, failed);
        groups.rests(failed);
        assertThat(groups.mayHave(one, fixture.ofGroup(6, "g"))).isFalse();
        assertThat(groups.mayHave(one, fixture.ofGroup(4, "g")))
                .as("an earlier one")
                .isTrue();
        assertThat(groups.mayHave(one, failed)).as("itself").isTrue();
        assertThat(given(one, failed)).as("the others need not wait any more").isTrue();
        assertThat(groups.mayHave(one, fixture.ofGroup(6, "g"))).isTrue();
    }

    @Test
    void whatTransactionsHoldKeepsLaterOnesFromOtherConsumers() {
        Ready first = fixture.ofGroup(1, "g");
        given(one, first);
        groups.enlisted(fixture.deliver(one, first));
        assertThat(groups.mayHave(one, fixture.ofGroup(2, "g")))
                .as("its own consumer")
                .isTrue();
        groups.left(one);
        assertThat(groups.mayHave(other, fixture.ofGroup(2, "g"))).isFalse();
        assertThat(groups.over(1)).as("others waited").isTrue();
        assertThat(groups.over(1)).as("a second time").isFalse();
        assertThat(groups.mayHave(other, fixture.ofGroup(2, "g"))).isTrue();
    }

    @Test
    void ofVeryManyGroupsThoseAreForgottenThatNobodyHasAnythingOf() {
        Ready busy = fixture.ofGroup(0, "busy");
        given(one, busy);
        fixture.deliver(one, busy);
        Ready resting = fixture.ofGroup(1, "resting");
        given(one, resting);
        groups.rests(resting);
        for (int n = 2; n <= OWNERS_MAX; n++) {
            given(one, fixture.ofGroup(n, "g" + n));
        }
        assertThat(groups.mayHave(other, fixture.ofGroup(OWNERS_MAX + 1, "g2")))
                .as("the oldest that is idle")
                .isTrue();
        assertThat(groups.mayHave(other, fixture.ofGroup(OWNERS_MAX + 1, "g" + OWNERS_MAX)))
                .as("the youngest")
                .isFalse();
        assertThat(groups.mayHave(other, fixture.ofGroup(OWNERS_MAX + 1, "busy")))
                .as("one is unsettled")
                .isFalse();
        assertThat(groups.mayHave(other, fixture.ofGroup(1, "resting")))
                .as("one rests")
                .isFalse();
    }
}
