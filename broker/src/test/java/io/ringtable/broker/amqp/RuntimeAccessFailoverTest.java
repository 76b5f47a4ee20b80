package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import jakarta.jms.Connection;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Session;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stand-by that takes the shard has the users, rules and policies that were set on the node before it. */
@Timeout(120)
class RuntimeAccessFailoverTest extends StandbyScenario {
    @Test
    void theNextNodeKnowsThemBeforeItServesAnybody() throws Exception {
        TestBroker first = node("first", TestSettings.of());
        try (TestBroker second = node("second", TestSettings.of())) {
            assertThat(second.port()).as("it stands by").isEqualTo(-1);
            Administrator.of(second, "").refused(503, "RT-7710", "GET", "/users", null);
            Administrator.of(first, "").make("/users/ann", "{'password': 'secret'}");
            Administrator ann = Administrator.of(first, "ann");
            ann.change("/roles/administrator", "{'users': ['ann']}");
            ann.make("/rules/orders", "{'match': 'orders', 'users': ['ann'], 'permissions': ['send', 'create']}");
            ann.make("/policies/orders", "{'deadLetterQueue': 'orders.dead'}");
            first.close();

            Awaitility.await().until(() -> second.port() > 0);
            JmsConnectionFactory factory = new JmsConnectionFactory("amqp://127.0.0.1:" + second.port());
            assertThatThrownBy(() ->
                            factory.createConnection("whoever", "whatever").start())
                    .isInstanceOf(JMSSecurityException.class);
            try (Connection connection = factory.createConnection("ann", "secret")) {
                Session session = connection.createSession();
                session.createProducer(session.createQueue("orders")).send(session.createTextMessage("one"));
                assertThatThrownBy(() -> session.createConsumer(session.createQueue("orders")))
                        .hasMessageContaining("RT-4350");
            }
            assertThat(second.shard().policies().of("orders").deadLetterQueue()).isEqualTo("orders.dead");
            assertThat(second.shard().lookup().find("orders.dead").isQueue()).isTrue();
            assertThat(Administrator.of(second, "ann").get("/policies").toString())
                    .contains("\"changedBy\":\"ann\"");
        } finally {
            first.close();
        }
    }
}
