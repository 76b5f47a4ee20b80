package io.ringtable.broker.config;

import io.ringtable.broker.access.Permission;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Says who may connect, and do what.
 *
 * @param users Users of AMQP. Without any, clients of this machine connect without a name.
 * @param rules Permissions of users, by address. Without any rule, every user may do everything.
 * @param allowAnonymousRemote Whether the broker may listen on an interface other than loopback although there are no
 *     users.
 * @param allowRemoteHttp Whether the broker may serve HTTP, which has no login, on an interface other than loopback.
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
        @DefaultValue List<@Valid Rule> rules,
        @DefaultValue("false") boolean allowAnonymousRemote,
        @DefaultValue("false") boolean allowRemoteHttp,

        @DefaultValue("10") @Within(min = "1", max = "1000000")
        int loginFailuresMax,

        @DefaultValue("10s") @Within(min = "1ms", max = "24h")
        Duration loginFailureRecovery,

        @DefaultValue("10m") @Within(min = "0", max = "24h") Duration loginRemembered) {

    /**
     * @param name Name of the user, as SASL PLAIN gives it.
     * @param password Password, hashed and with the prefix of its hash, such as {bcrypt}$2a$…. {noop} and plain text
     *     are for trials.
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

    /**
     * @param match Names of addresses, words between dots. * stands for one word, # for any number of words.
     * @param users Users that the rule is for; * = every user.
     * @param groups Groups whose members the rule is for as well.
     * @param permissions What they may do: send, receive, browse, create, delete, manage.
     */
    public record Rule(
            @NotBlank(message = "is empty: name addresses, such as orders.#, in quotes where the file is YAML")
            String match,

            @DefaultValue Set<String> users,
            @DefaultValue Set<String> groups,

            @NotEmpty(message = "is empty: name some of send, receive, browse, create, delete and manage") @DefaultValue
            Set<Permission> permissions) {}
}
