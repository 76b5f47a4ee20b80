package io.ringtable.broker.amqp.settings;

import java.time.Duration;

/**
 * What logins may cost.
 *
 * @param failuresMax failed logins of one user name from one address, one after the other, before more are put off: 1 to 1,000,000. Of
 *     all names from one address, and of one name from all addresses, {@value #SUM_FACTOR} times as many
 * @param failureRecovery after which one of these failures is forgiven: 1 ms to 24 h
 * @param remembered how long a password that was right is known without hashing it: 0 = never, to 24 h
 */
public record LoginSettings(int failuresMax, Duration failureRecovery, Duration remembered) {
    /** How many times more an address may fail with all names together, and a name from all addresses together. */
    public static final int SUM_FACTOR = 10;

    private static final Duration DAY = Duration.ofHours(24);

    public static final LoginSettings DEFAULTS = new LoginSettings(10, Duration.ofSeconds(10), Duration.ofMinutes(10));

    public LoginSettings {
        if (failuresMax < 1 || failuresMax > 1_000_000) {
            throw new IllegalArgumentException("RT-1051 security.login-failures-max=" + failuresMax
                    + " is outside 1 to 1000000: choose a value between");
        }
        if (failureRecovery.toMillis() < 1 || failureRecovery.compareTo(DAY) > 0) {
            throw new IllegalArgumentException("RT-1052 security.login-failure-recovery=" + failureRecovery
                    + " is outside 1 ms to 24 h: choose a value between");
        }
        if (remembered.isNegative() || remembered.compareTo(DAY) > 0) {
            throw new IllegalArgumentException("RT-1053 security.login-remembered=" + remembered
                    + " is outside 0 to 24 h: choose a value between");
        }
    }
}
