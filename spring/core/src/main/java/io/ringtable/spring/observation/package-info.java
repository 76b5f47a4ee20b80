/**
 * Observations of sent and of processed messages, named as OpenTelemetry's conventions for messaging name them.
 * <p>
 * Thread: any; the one that sends or processes the message.
 */
package io.ringtable.spring.observation;
