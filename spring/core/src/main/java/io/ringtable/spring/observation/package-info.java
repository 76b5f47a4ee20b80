/** Observations of sent and of processed messages, named as OpenTelemetry's conventions for messaging name them. */
package io.ringtable.spring.observation;
