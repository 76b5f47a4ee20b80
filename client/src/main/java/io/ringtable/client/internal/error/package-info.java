/**
 * Makes the errors of the implementation, each with its code.
 * <p>
 * Thread: any; nothing here has a state. Must not know: who raises an error.
 */
package io.ringtable.client.internal.error;
