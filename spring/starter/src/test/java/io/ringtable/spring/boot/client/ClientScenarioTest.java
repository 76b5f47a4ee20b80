package io.ringtable.spring.boot.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.spring.boot.OneBroker;
import io.ringtable.spring.boot.StarterScenario;
import io.ringtable.spring.boot.app.Bookings;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.contributor.Status;
import org.springframework.jms.core.JmsTemplate;

/** The SDK's client as a bean. */
class ClientScenarioTest extends StarterScenario {
    @Autowired
    RingtableClient client;

    @Autowired
    JmsTemplate jms;

    @Autowired
    MeterRegistry meters;

    @Autowired
    HealthEndpoint health;

    @Test
    void itWritesJsonAsTheApplicationDoes() {
        try (Publisher publisher = client.publisher("queue://sdk-json");
                Receiver receiver = client.receiver("queue://sdk-json")) {
            publisher.publishAndWait(Message.json(new Bookings.Booked("a seat")));
            assertThat(receiver.receive(OneBroker.SOON).orElseThrow().text())
                    .isEqualTo("{\"booking_name\":\"a seat\"}");
        }
    }

    @Test
    void readinessMayAskForTheConnections() {
        HealthDescriptor readiness = health.healthForPath("readiness");
        assertThat(readiness.getStatus()).isEqualTo(Status.UP);
        assertThat(health.healthForPath("readiness", "ringtable").getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void itsMetricsAreThereAndThoseOfJmsTooOfOnePublish() {
        try (Publisher publisher = client.publisher("queue://sdk-metrics")) {
            publisher.publishAndWait(Message.text("one"));
        }
        assertThat(meters.get("ringtable.client.accepted")
                        .tag("client", "ringtableClient")
                        .functionCounter()
                        .count())
                .isPositive();
        jms.convertAndSend("sdk-metrics", "two");
        assertThat(meters.get("jms.message.publish").timer().count()).isPositive();
    }
}
