package io.ringtable.broker.config;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Says who may connect.
 *
 * @param users Users of AMQP. Without any, clients of this machine connect without a name.
 * @param allowAnonymousRemote Whether the broker may listen on an interface other than loopback although there are no
 *     users.
 * @param allowRemoteHttp Whether the broker may serve HTTP, which has no login, on an interface other than loopback.
 * @param allowPlainRemote Whether clients of other machines may log in with SASL PLAIN on a connection without TLS,
 *     where the network sees their passwords.
 * @param loginFailuresMax Failed logins in a row of one user name from one address before the broker puts off more of
 *     them. For all names together one address has ten times as many.
 * @param loginFailureRecovery Time after which one of these failures is forgiven.
 * @param loginRemembered How long the broker knows a right password without hashing it, by a keyed digest in memory; 0
 *     = never.
 */
@Validated
@ConfigurationProperties("ringtable.security")
public record SecurityProperties(
        @DefaultValue List<@Valid User> users,
        @DefaultValue("false") boolean allowAnonymousRemote,
        @DefaultValue("false") boolean allowRemoteHttp,
        @DefaultValue("false") boolean allowPlainRemote,

        @DefaultValue("10") @Within(min = "1", max = "1000000")
        int loginFailuresMax,

        @DefaultValue("10s") @Within(min = "1ms", max = "24h")
        Duration loginFailureRecovery,

        @DefaultValue("10m") @Within(min = "0", max = "24h") Duration loginRemembered) {

    /**
     * @param name Name of the user, as a login gives it.
     * @param password Password, hashed and with the prefix of its hash, such as {bcrypt}$2a$…; or {external} for a user
     *     who logs in with a certificate alone. {noop} and plain text are for trials.
     * @param groups Groups that the user is in, for rules.
     */
    public record User(
            @NotBlank(message = "is empty: every user needs a name")
            String name,

            @NotBlank(message = "is empty: give the hash with its prefix, such as {bcrypt}$2a$10$...")
            String password,

            @DefaultValue Set<String> groups) {

        @Override
        public String toString() {
            return "User[name=" + name + "]";
        }
    }
}
