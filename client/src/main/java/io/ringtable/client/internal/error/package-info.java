/**
 * Makes the errors of the implementation, each with its code. Threads: any. Must not know: who raises them.
 */
package io.ringtable.client.internal.error;
