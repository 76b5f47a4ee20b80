/**
 * Moves messages from one AMQP 1.0 broker to another, each once where the two brokers make that possible (ADR 29).
 * <p>
 * Thread: one event loop owns both connections and everything that is under way between them ({@code Crossing}). The
 * thread of the command waits, and begins again after an interruption ({@link io.ringtable.cli.bridge.Bridge}). Must
 * not know: commands and their options; a bridge says what it knows of its ends with
 * {@link io.ringtable.cli.bridge.BridgeTask}.
 */
package io.ringtable.cli.bridge;
