package io.ringtable.spring.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.ringtable.spring.observation.RingtableObservation.HighCardinality;
import io.ringtable.spring.observation.RingtableObservation.LowCardinality;

/**
 * Names {@link RingtableObservation#SEND}: the meter {@code messaging.client.operation.duration}, spans as "send
 * orders".
 */
public class SendConvention implements GlobalObservationConvention<SendContext> {

    private static final String SEND = "send";

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof SendContext;
    }

    @Override
    public String getName() {
        return "messaging.client.operation.duration";
    }

    @Override
    public String getContextualName(SendContext context) {
        return SEND + " " + context.address().name();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(SendContext context) {
        return KeyValues.of(
                LowCardinality.SYSTEM.withValue(Observations.SYSTEM),
                LowCardinality.OPERATION_NAME.withValue(SEND),
                LowCardinality.OPERATION_TYPE.withValue(SEND),
                LowCardinality.DESTINATION.withValue(context.address().name()),
                LowCardinality.SUBSCRIPTION.withValue(Observations.NONE),
                LowCardinality.ERROR_TYPE.withValue(Observations.errorType(context)));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(SendContext context) {
        var message = context.getCarrier().build();
        return Observations.present(HighCardinality.MESSAGE_ID, message.messageId())
                .and(Observations.present(HighCardinality.CORRELATION_ID, message.correlationId()));
    }
}
