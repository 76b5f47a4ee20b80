package io.ringtable.broker.config;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Who may connect.
 *
 * @param users Users of AMQP; with none, clients of this machine connect without a name.
 * @param allowAnonymousRemote Listen on another interface than loopback although there are no users.
 * @param allowRemoteHttp Serve HTTP, which has no login, on another interface than loopback.
 * @param loginFailuresMax Failed logins of one user name from one address, one after the other, before more are put off; ten times as many of all names from one address.
 * @param loginFailureRecovery After which one of these failures is forgiven.
 * @param loginRemembered How long a password that was right is known without hashing it, as a keyed digest in memory; 0 = never.
 */
@Validated
@ConfigurationProperties("ringtable.security")
public record SecurityProperties(
        @DefaultValue List<@Valid User> users,
        @DefaultValue("false") boolean allowAnonymousRemote,
        @DefaultValue("false") boolean allowRemoteHttp,

        @DefaultValue("10") @Within(min = "1", max = "1000000")
        int loginFailuresMax,

        @DefaultValue("10s") @Within(min = "1ms", max = "24h")
        Duration loginFailureRecovery,

        @DefaultValue("10m") @Within(min = "0", max = "24h") Duration loginRemembered) {

    /**
     * @param name Name of the user, as SASL PLAIN gives it.
     * @param password Password, hashed and with the hash's prefix, such as {bcrypt}$2a$…; {noop} and plain text for trials.
     */
    public record User(
            @NotBlank(message = "is empty: every user needs a name")
            String name,

            @NotBlank(message = "is empty: give the hash with its prefix, such as {bcrypt}$2a$10$...")
            String password) {

        @Override
        public String toString() {
            return "User[name=" + name + "]";
        }
    }
}
