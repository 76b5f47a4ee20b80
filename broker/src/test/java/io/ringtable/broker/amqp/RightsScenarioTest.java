package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Session;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each user tries each way that a client has, and is allowed what rules give and refused the rest. */
@Timeout(120)
@ExtendWith(RightsBroker.Shared.class)
class RightsScenarioTest {

    private static Stream<Arguments> matrix() {
        return Stream.of(
                        row("attach to send", "orders.eu", "ann max ops", Way::send),
                        row("attach to send", "orders.eu.north", "ann ops", Way::send),
                        row("attach to send", "public.news", RightsBroker.EVERYONE, Way::send),
                        row("create by attaching", "orders.of-", "ann ops", Way::sendToNew),
                        row("create by attaching", "public.of-", RightsBroker.EVERYONE, Way::sendToNew),
                        row("create by a message", "orders.by-", "ann ops", Way::sendAnonymouslyToNew),
                        row("create by consuming", "orders.in-", "ann ops", Way::consumeFromNew),
                        row("anonymous producer", "orders.eu", "ann max ops", Way::sendAnonymously),
                        row("anonymous producer", "secret", "ops", Way::sendAnonymously),
                        row("in a transaction", "orders.eu", "ann max ops", Way::sendInTransaction),
                        row(
                                "anonymous in a transaction",
                                "orders.eu",
                                "ann max ops",
                                Way::sendAnonymouslyInTransaction),
                        row("consume", "orders.eu", "ann ops", Way::consume),
                        row("consume", "secret", "ops", Way::consume),
                        row("consume in a transaction", "orders.eu", "ann ops", Way::consumeInTransaction),
                        row("browse", "orders.eu", "ann max ops", Way::browse),
                        row("browse", "public.news", "ops", Way::browse),
                        row("subscribe", "prices", "ann bob tom ops", Way::subscribe),
                        row("durable subscriber", "prices", "ann bob tom ops", Way::subscribeDurably),
                        row("shared durable", "prices", "ann bob tom ops", Way::shareDurably),
                        row("global subscription of tom", "prices", "tom ops", Way::shareGlobally),
                        row("replace that of tom", "public.topic", "tom ops", Way::replaceGlobal),
                        row("unsubscribe that of tom", "prices", "tom ops", Way::unsubscribeGlobal),
                        row("temporary queue", "", RightsBroker.EVERYONE, Way::useTemporaryQueue),
                        row("reply to a temporary queue", "", RightsBroker.EVERYONE, Way::reply),
                        row("named dead-letter queue", "parcels.dead", "bob ops", Way::consume))
                .flatMap(row -> Stream.of(RightsBroker.EVERYONE.split(" "))
                        .map(user -> Arguments.of(
                                user,
                                row.name,
                                row.address,
                                List.of(row.allowed.split(" ")).contains(user) ? "allowed" : "refused",
                                row.way)));
    }

    private record Row(String name, String address, String allowed, Way way) {}

    private static Row row(String name, String address, String allowed, Way way) {
        return new Row(name, address, allowed, way);
    }

    @ParameterizedTest(name = "{0}: {1} {2} is {3}")
    @MethodSource("matrix")
    void whatRulesDoNotGiveIsRefused(String user, String name, String address, String outcome, Way way)
            throws Exception {
        long refusedBefore = RightsBroker.broker().counters().permissionsRefused.sum();
        try (Session session = RightsBroker.session(user)) {
            if (outcome.equals("allowed")) {
                assertThatCode(() -> way.tryIt(session, user, address)).doesNotThrowAnyException();
                assertThat(RightsBroker.broker().counters().permissionsRefused.sum())
                        .isEqualTo(refusedBefore);
            } else {
                assertThatThrownBy(() -> way.tryIt(session, user, address))
                        .isInstanceOf(
                                // what a transaction refuses shows at its commit
                                name.startsWith("anonymous in") ? JMSException.class : JMSSecurityException.class)
                        .hasMessageMatching("(?s).*RT-435[02] user '" + user + "' may not .*permission '\\w+'.*");
                assertThat(RightsBroker.broker().counters().permissionsRefused.sum())
                        .isGreaterThan(refusedBefore);
            }
        }
    }
}
