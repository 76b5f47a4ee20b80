/**
 * Checks logins by SCRAM: the verifiers of the users, and one client's exchange.
 * <p>
 * Thread: any. Must not know: connections, frames, the rest of the broker.
 */
package io.ringtable.broker.login.scram;
