package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.trace.BegunStep;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.trace.TracedStep;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Remembers when sampled messages went out on a link, until their consumer gives an outcome.
 * <p>
 * Thread: the connection's event loop.
 */
final class TracedDeliveries {
    private final MessageTraces traces;
    private final Map<Delivery, BegunStep> begun = new IdentityHashMap<>(0); // as many as are unsettled and sampled

    TracedDeliveries(MessageTraces traces) {
        this.traces = traces;
    }

    void begin(Delivery delivery) {
        if (delivery.message().traceAt() != 0) {
            begun.put(delivery, BegunStep.of(delivery.message()));
        }
    }

    /** @param outcome as AMQP names it; null if the consumer gave none */
    void end(Delivery delivery, String outcome) {
        if (delivery.message().traceAt() == 0) {
            return;
        }
        BegunStep step = begun.remove(delivery);
        if (step != null) {
            traces.ended(new TracedStep(
                    TracedStep.Kind.DELIVER,
                    step.context(),
                    step.at(),
                    System.nanoTime(),
                    delivery.subscription().address().name(),
                    delivery.subscription().name(),
                    delivery.message().bytes(),
                    outcome,
                    outcome == null ? "link-ended" : null));
        }
    }
}
