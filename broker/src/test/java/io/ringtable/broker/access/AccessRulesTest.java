package io.ringtable.broker.access;

import static io.ringtable.broker.access.Permission.BROWSE;
import static io.ringtable.broker.access.Permission.CREATE;
import static io.ringtable.broker.access.Permission.MANAGE;
import static io.ringtable.broker.access.Permission.RECEIVE;
import static io.ringtable.broker.access.Permission.SEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AccessRulesTest {
    private static final Identity ANN = new Identity("ann", Set.of("traders"));
    private static final Identity BOB = Identity.of("bob");
    private static final Set<String> DEAD = Set.of("DLQ", "parcels.dead", "old.dead");

    @Test
    void withoutRulesEverybodyMayDoEverything() {
        assertThat(AccessRules.NONE.permits(Identity.ANONYMOUS, MANAGE, "anything"))
                .isTrue();
        assertThat(AccessRules.NONE.of(BOB).on("anything")).containsExactly(Permission.values());
    }

    @Test
    void aUserHasWhatAllRulesThatMatchGiveAndNoMore() {
        AccessRules rules = rules(
                forUser("orders.#", "ann", SEND), forUser("orders.eu", "ann", RECEIVE), forUser("#", "bob", BROWSE));

        assertThat(rules.of(ANN).on("orders.eu")).containsExactly(SEND, RECEIVE);
        assertThat(rules.of(ANN).on("orders.us")).containsExactly(SEND);
        assertThat(rules.of(ANN).on("prices")).isEmpty();
        assertThat(rules.permits(BOB, BROWSE, "orders.eu")).isTrue();
        assertThat(rules.permits(BOB, SEND, "orders.eu")).isFalse();
    }

    @Test
    void aRuleIsForItsUsersForMembersOfItsGroupsOrForEveryUser() {
        AccessRules rules = rules(
                forGroup("prices", "traders", SEND),
                new AccessRule(pattern("public"), Set.of("*"), Set.of(), Set.of(SEND)));

        assertThat(rules.permits(ANN, SEND, "prices")).isTrue();
        assertThat(rules.permits(BOB, SEND, "prices")).isFalse();
        assertThat(rules.permits(new Identity("traders", Set.of()), SEND, "prices"))
                .as("a user with the name of a group")
                .isFalse();
        assertThat(rules.permits(BOB, SEND, "public")).isTrue();
        assertThat(rules.permits(Identity.ANONYMOUS, SEND, "public"))
                .as("a client that has not logged in is no user")
                .isFalse();
    }

    @Test
    void aDeadLetterQueueFollowsTheAddressesThatItsMessagesCameFrom() {
        AccessRules rules = rules(forUser("orders.#", "ann", RECEIVE), forUser("DLQ", "nobody", SEND));
        assertThat(rules.of(ANN).byOrigin(RECEIVE, "DLQ", DEAD))
                .as("a rule names the queue, so that it is an address like any other")
                .isNull();

        OriginRights some = rules.of(ANN).byOrigin(RECEIVE, "old.dead", DEAD);
        assertThat(some.permitsSome()).isTrue();
        assertThat(some.permits("orders.eu")).isTrue();
        assertThat(some.permits("prices")).isFalse();
        assertThat(some.permits(null)).as("sent to the queue itself").isFalse();
        assertThat(rules.of(ANN).byOrigin(BROWSE, "old.dead", DEAD).permitsSome())
                .as("the permission that counts is the one that is asked for")
                .isFalse();
        assertThat(rules.of(ANN).byOrigin(RECEIVE, "orders.eu", DEAD))
                .as("no dead-letter queue")
                .isNull();
    }

    @Test
    void aWildcardDoesNotNameADeadLetterQueueAndARuleForEverythingIsEnough() {
        AccessRules rules = rules(forUser("old.*", "ann", RECEIVE), forUser("#", "bob", RECEIVE));

        OriginRights some = rules.of(ANN).byOrigin(RECEIVE, "old.dead", DEAD);
        assertThat(some.permits("prices")).isFalse();
        assertThat(some.permits(null)).as("sent to the queue itself").isTrue();
        assertThat(rules.of(BOB).byOrigin(RECEIVE, "old.dead", DEAD)).isNull();
    }

    @Test
    void aMessageThatDiedTwiceIsForThoseWhoseRuleNamesTheFirstQueue() {
        AccessRules wildcard = rules(forUser("parcels.*", "ann", RECEIVE));
        AccessRules literal = rules(forUser("parcels.dead", "ann", RECEIVE));

        assertThat(wildcard.of(ANN).byOrigin(RECEIVE, "DLQ", DEAD).permits("parcels.dead"))
                .isFalse();
        assertThat(literal.of(ANN).byOrigin(RECEIVE, "DLQ", DEAD).permits("parcels.dead"))
                .isTrue();
    }

    @Test
    void rulesForOthersChangeNothingAboutTheDeadLettersThatAUserSees() {
        AccessRule orders = forUser("orders.#", "ann", RECEIVE);
        OriginRights before = rules(orders).of(ANN).byOrigin(RECEIVE, "DLQ", DEAD);

        assertThat(rules(forUser("prices", "bob", SEND), forUser("orders.#", "ann", RECEIVE))
                        .of(ANN)
                        .byOrigin(RECEIVE, "DLQ", DEAD))
                .isEqualTo(before);
        assertThat(rules(forUser("orders.#", "ann", RECEIVE, CREATE)).of(ANN).byOrigin(RECEIVE, "DLQ", DEAD))
                .isNotEqualTo(before);
    }

    @Test
    void replacedRulesCountAndListenersHearOfThem() {
        AccessControl control = new AccessControl(AccessRules.NONE);
        List<AccessRules> heard = new ArrayList<>();
        Runnable listener = () -> heard.add(control.rules());
        AccessRules some = rules(forUser("orders.#", "ann", SEND));

        control.onChange(listener);
        control.replace(some);
        control.forget(listener);
        control.replace(AccessRules.NONE);

        assertThat(heard).containsExactly(some);
        assertThat(control.rules()).isSameAs(AccessRules.NONE);
    }

    private static AccessRules rules(AccessRule... rules) {
        return new AccessRules(List.of(rules));
    }

    private static AccessRule forUser(String match, String user, Permission... permissions) {
        return new AccessRule(pattern(match), Set.of(user), Set.of(), Set.of(permissions));
    }

    private static AccessRule forGroup(String match, String group, Permission... permissions) {
        return new AccessRule(pattern(match), Set.of(), Set.of(group), Set.of(permissions));
    }

    private static AddressPattern pattern(String match) {
        return new AddressPattern(match);
    }
}
