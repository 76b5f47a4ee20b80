/**
 * Observes sent and processed messages, under the names of OpenTelemetry's conventions for messaging.
 * <p>
 * Thread: any; the one that sends or processes the message.
 */
package io.ringtable.spring.observation;
