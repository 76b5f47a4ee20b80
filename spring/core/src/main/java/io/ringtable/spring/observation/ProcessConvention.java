package io.ringtable.spring.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.spring.observation.RingtableObservation.HighCardinality;
import io.ringtable.spring.observation.RingtableObservation.LowCardinality;

/**
 * Names {@link RingtableObservation#PROCESS}: the meter {@code messaging.process.duration}, spans as "process orders".
 */
public class ProcessConvention implements GlobalObservationConvention<ProcessContext> {

    private static final String PROCESS = "process";

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof ProcessContext;
    }

    @Override
    public String getName() {
        return "messaging.process.duration";
    }

    @Override
    public String getContextualName(ProcessContext context) {
        return PROCESS + " " + context.getCarrier().address().name();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(ProcessContext context) {
        return KeyValues.of(
                LowCardinality.SYSTEM.withValue(Observations.SYSTEM),
                LowCardinality.OPERATION_NAME.withValue(PROCESS),
                LowCardinality.OPERATION_TYPE.withValue(PROCESS),
                LowCardinality.DESTINATION.withValue(
                        context.getCarrier().address().name()),
                LowCardinality.SUBSCRIPTION.withValue(context.subscription().orElse(Observations.NONE)),
                LowCardinality.ERROR_TYPE.withValue(Observations.errorType(context)));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(ProcessContext context) {
        int count = context.messages().size();
        if (count > 1) {
            return KeyValues.of(HighCardinality.BATCH_COUNT.withValue(Integer.toString(count)));
        }
        ReceivedMessage message = context.getCarrier();
        return Observations.present(HighCardinality.MESSAGE_ID, Observations.readable(message::messageId))
                .and(Observations.present(
                        HighCardinality.CORRELATION_ID, Observations.readable(message::correlationId)));
    }
}
