package io.ringtable.broker.config;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.access.UserBounds;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import java.io.File;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Says who may connect, and do what.
 *
 * @param users Users of AMQP. Without any, clients of this machine connect without a name.
 * @param rules Permissions of users, by address. Without any rule, every user may do everything.
 * @param roles Who administers the broker, and how far. Without any role or rule, every user may do everything.
 * @param allowAnonymousRemote Whether the broker may listen on an interface other than loopback although there are no
 *     users.
 * @param allowRemoteHttp Whether the broker may serve HTTP on an interface other than loopback without TLS or without
 *     users.
 * @param allowPlainRemote Whether clients of other machines may log in with SASL PLAIN or a token without TLS. The
 *     network then sees their secret.
 * @param loginFailuresMax Failed logins in a row of one user name from one address before the broker puts off more of
 *     them. For all names together one address has ten times as many.
 * @param loginFailureRecovery Time after which one of these failures is forgiven.
 * @param loginRemembered How long the broker knows a right password without hashing it, by a keyed digest in memory; 0
 *     = never.
 * @param userConnectionsMax Connections that one user may have open at once; 0 = as many as all together.
 * @param userMessagesPerSecond Messages that one user may publish in a second, by all of its connections together; 0 =
 *     no bound. A user who publishes faster gets no credit for a while, and nothing is refused.
 * @param userBytesPerSecond Bytes of messages that one user may publish in a second, in the same way; 0 = no bound.
 */
@Validated
@ConfigurationProperties("ringtable.security")
public record SecurityProperties(
        @DefaultValue List<@Valid User> users,
        @DefaultValue List<@Valid Rule> rules,
        @DefaultValue RoleMembers roles,
        @DefaultValue("false") boolean allowAnonymousRemote,
        @DefaultValue("false") boolean allowRemoteHttp,
        @DefaultValue("false") boolean allowPlainRemote,

        @DefaultValue("10") @Within(min = "1", max = "1000000")
        int loginFailuresMax,

        @DefaultValue("10s") @Within(min = "1ms", max = "24h")
        Duration loginFailureRecovery,

        @DefaultValue("10m") @Within(min = "0", max = "24h") Duration loginRemembered,

        @DefaultValue("5000") @Within(min = "0", max = "1000000")
        int userConnectionsMax,

        @DefaultValue("0") @Within(min = "0", max = "100000000")
        int userMessagesPerSecond,

        @DefaultValue("0") @Within(min = "0", max = "1TB") DataSize userBytesPerSecond,
        @DefaultValue Oauth oauth) {

    /** Returns whether clients have to log in: there are users, or tokens that say who one is. */
    public boolean isLoginNeeded() {
        return !users.isEmpty() || oauth.jwks() != null;
    }

    /** Returns the bounds of users that have none of their own. */
    public UserBounds userBounds() {
        return new UserBounds(userConnectionsMax, userMessagesPerSecond, userBytesPerSecond.toBytes());
    }

    /**
     * Says who has which role; each role includes those before it.
     *
     * @param viewer Who sees what there is and how it goes, and no contents of messages.
     * @param operator Who also reads, moves and deletes messages, and closes connections.
     * @param administrator Who does everything: makes and deletes addresses, sets policies, users and rules.
     */
    public record RoleMembers(
            @DefaultValue Members viewer,
            @DefaultValue Members operator,
            @DefaultValue Members administrator) {}

    /**
     * @param users Users that have the role; * = every user.
     * @param groups Groups whose members have the role as well.
     */
    public record Members(
            @DefaultValue Set<String> users, @DefaultValue Set<String> groups) {}

    /**
     * Says which bearer tokens (OAuth 2) log in.
     *
     * @param jwks Address or file of the keys that sign tokens, as a JSON Web Key Set: https://… or file:…. Without it
     *     tokens are not taken.
     * @param issuer Claim iss that a token must have.
     * @param audience Name that the claim aud of a token must have, so that tokens for other services do not log in
     *     here.
     * @param nameClaim Claim that is the name of the user.
     * @param groupsClaim Claim that lists the groups of the user, as a list or as words.
     */
    public record Oauth(
            String jwks,
            String issuer,
            String audience,
            @DefaultValue("sub") String nameClaim,
            @DefaultValue("groups") String groupsClaim) {

        private static final String FILE = "file:";

        /** Refuses tokens that anybody could have made, or that were made for others. */
        public Oauth {
            if (jwks != null && (issuer == null || audience == null)) {
                throw new ConfigurationRefused(
                        "RT-1129",
                        "ringtable.security.oauth.jwks needs ringtable.security.oauth.issuer=" + issuer
                                + " and ringtable.security.oauth.audience=" + audience + ": set both");
            }
            if (jwks != null && !jwks.matches("https://.+|file:.+|http://(localhost|127\\.0\\.0\\.1|\\[::1])[:/].*")) {
                throw new ConfigurationRefused(
                        "RT-1130",
                        "ringtable.security.oauth.jwks=" + jwks
                                + " is neither https://..., nor file:..., nor http:// on"
                                + " this machine: others could put their keys in its place");
            }
        }

        /** Returns the file of keys; null if they have an address. */
        public File jwksFile() {
            return jwks.startsWith(FILE) ? new File(jwks.substring(FILE.length())) : null;
        }
    }

    /**
     * @param name Name of the user, as a login gives it.
     * @param password Password, hashed and with the prefix of its hash, such as {bcrypt}$2a$…. A user who logs in with
     *     a certificate alone has {external}; {noop} and plain text are for trials.
     * @param groups Groups that the user is in, for rules.
     * @param connectionsMax Connections that the user may have open at once, in place of user-connections-max.
     * @param messagesPerSecond Messages that the user may publish in a second, in place of user-messages-per-second.
     * @param bytesPerSecond Bytes that the user may publish in a second, in place of user-bytes-per-second.
     */
    public record User(
            @NotBlank(message = "is empty: every user needs a name")
            String name,

            @NotBlank(message = "is empty: give the hash with its prefix, such as {bcrypt}$2a$10$...")
            String password,

            @DefaultValue Set<String> groups,

            @Within(min = "0", max = "1000000") Integer connectionsMax,

            @Within(min = "0", max = "100000000") Integer messagesPerSecond,

            @Within(min = "0", max = "1TB") DataSize bytesPerSecond) {

        /** Returns what counts for the user. @param others bounds of users that have none of their own */
        public UserBounds bounds(UserBounds others) {
            return new UserBounds(
                    connectionsMax == null ? others.connectionsMax() : connectionsMax,
                    messagesPerSecond == null ? others.messagesPerSecond() : messagesPerSecond,
                    bytesPerSecond == null ? others.bytesPerSecond() : bytesPerSecond.toBytes());
        }

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
