/**
 * Logins by each mechanism against the packaged broker, over TLS, with clients of others.
 * <p>
 * Thread: the test's. Must not know: any class of the broker's main code.
 */
package io.ringtable.acceptance.login;
