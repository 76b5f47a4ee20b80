package io.ringtable.spring.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** Lists the observations of this module. */
public enum RingtableObservation implements ObservationDocumentation {

    /** The sending of one message, until the broker has answered or the caller's transaction has it. */
    SEND {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return SendConvention.class;
        }
    },

    /** The processing of one message, or of one batch, by a listener's method, settlement included. */
    PROCESS {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return ProcessConvention.class;
        }
    };

    @Override
    public KeyName[] getLowCardinalityKeyNames() {
        return LowCardinality.values();
    }

    @Override
    public KeyName[] getHighCardinalityKeyNames() {
        return HighCardinality.values();
    }

    /** Names what few values are known of: tags of meters and of spans. */
    public enum LowCardinality implements KeyName {
        /** Always {@code ringtable}. */
        SYSTEM("messaging.system"),
        /** {@code send} or {@code process}. */
        OPERATION_NAME("messaging.operation.name"),
        /** {@code send} or {@code process}. */
        OPERATION_TYPE("messaging.operation.type"),
        /** The address, without its prefix. */
        DESTINATION("messaging.destination.name"),
        /** The name of the durable or shared subscription; {@code none} otherwise. */
        SUBSCRIPTION("messaging.destination.subscription.name"),
        /** The class of the exception; {@code none} if there was none. */
        ERROR_TYPE("error.type");

        private final String key;

        LowCardinality(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** Names what may have any number of values: tags of spans alone. */
    public enum HighCardinality implements KeyName {
        MESSAGE_ID("messaging.message.id"),
        CORRELATION_ID("messaging.message.conversation_id"),
        /** How many messages one call of a listener's method gets, in batches. */
        BATCH_COUNT("messaging.batch.message_count");

        private final String key;

        HighCardinality(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }
}
