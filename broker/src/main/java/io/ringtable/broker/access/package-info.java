/**
 * Says who a client is.
 * <p>
 * Thread: any; everything is immutable. Must not know: every other package.
 */
package io.ringtable.broker.access;
