package io.ringtable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.ringtable.client.Address;
import io.ringtable.spring.observation.ProcessContext;
import io.ringtable.spring.observation.SendContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests how sending and listening are observed. */
@Timeout(120)
@ExtendWith(SharedBroker.class)
class ListenerObservationTest {

    @Test
    void sendingAndProcessingAreObservedUnderTheNamesOfTheConventions() throws Exception {
        List<String> observed = Collections.synchronizedList(new ArrayList<>());
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }

            @Override
            public void onStart(Observation.Context context) {
                if (context instanceof SendContext sending) {
                    sending.getSetter().set(sending.getCarrier(), "traceparent", "00-1-2-01");
                }
            }

            @Override
            public void onStop(Observation.Context context) {
                String trace = context instanceof ProcessContext processing
                        ? processing.getGetter().get(processing.getCarrier(), "traceparent")
                        : "sent";
                observed.add(context.getContextualName() + " " + context.getName() + " " + trace + " "
                        + context.getLowCardinalityKeyValue("messaging.operation.name")
                                .getValue() + " "
                        + context.getLowCardinalityKeyValue("error.type").getValue());
            }
        });
        String address = SharedBroker.queue();
        String name = Address.of(address).name();
        FailsOnce listener = new FailsOnce();
        try (Listeners application =
                Listeners.start(address, listener, factory -> factory.setObservationRegistry(observations))) {
            RingtableTemplate template = application.template();
            template.setObservationRegistry(observations);
            template.convertAndSend(address, "one");
            listener.next();
            listener.next();
            await().until(() -> observed.size() == 3);
            assertThat(observed)
                    .containsExactlyInAnyOrder(
                            "send " + name + " messaging.client.operation.duration sent send none",
                            "process " + name + " messaging.process.duration 00-1-2-01 process"
                                    + " java.lang.IllegalStateException",
                            "process " + name + " messaging.process.duration 00-1-2-01 process none");
        }
    }

    @Test
    void aDefectOutsideOfTheMethodDoesNotEndTheListener() throws Exception {
        ObservationRegistry observations = ObservationRegistry.create();
        Set<String> thrown = ConcurrentHashMap.newKeySet();
        observations.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }

            @Override
            public void onScopeOpened(Observation.Context context) {
                if (thrown.add("once")) {
                    throw new IllegalStateException("a defect of an observation's handler");
                }
            }
        });
        FailsOnce listener = new FailsOnce();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, listener, factory -> {
            factory.setObservationRegistry(observations);
            factory.setRecoveryInterval(Duration.ofMillis(10));
        })) {
            application.template().convertAndSend(address, "one");
            assertThat(listener.next()).as("the first delivery failed").isEqualTo(2);
        }
    }
}
