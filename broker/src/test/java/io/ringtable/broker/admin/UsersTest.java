package io.ringtable.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.config.Bound;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.config.SecurityProperties.User;
import io.ringtable.wire.ScramHash;
import io.ringtable.wire.ScramVerifier;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.Pbkdf2PasswordEncoder;
import org.springframework.util.unit.DataSize;

class UsersTest {
    private static final SecurityProperties.RoleMembers NOBODY =
            Bound.of(SecurityProperties.class, Map.of()).roles();

    /** Four times as many as where nobody says how many. */
    private static final int ITERATIONS = 60_000;

    private static final String SCRAM = ScramVerifier.of(
                    ScramHash.SHA_256, "secret", "0123456789abcdef".getBytes(StandardCharsets.US_ASCII), ITERATIONS)
            .notation();
    private static final SecurityProperties.Oauth NO_TOKENS =
            new SecurityProperties.Oauth(null, null, null, "sub", "groups");

    @Test
    void knowsAUserByTheHashOfItsPassword() {
        Users users = users(user("shop", "{bcrypt}" + new BCryptPasswordEncoder(4).encode("secret")));

        assertThat(users.authenticate("shop", "secret")).isTrue();
        assertThat(users.authenticate("shop", "Secret")).isFalse();
        assertThat(users.authenticate("shop", "")).isFalse();
        assertThat(users.authenticate("nobody", "secret")).isFalse();
    }

    @Test
    void knowsTheGroupsOfAUser() {
        Users users = users(user("shop", "{noop}secret", "orders", "billing"));

        assertThat(users.groups("shop")).containsExactlyInAnyOrder("orders", "billing");
        assertThat(users.groups("nobody")).isEmpty();
    }

    @Test
    void takesAHashMadeByHtpasswd() {
        // htpasswd -bnBC 4 "" secret writes $2y$ where others write $2a$
        String hash = new BCryptPasswordEncoder(BCryptPasswordEncoder.BCryptVersion.$2Y, 4).encode("secret");

        assertThat(users(user("shop", "{bcrypt}" + hash)).authenticate("shop", "secret"))
                .isTrue();
    }

    @Test
    void takesPlainTextForATrial() {
        Users users = users(user("shop", "{noop}secret"));

        assertThat(users.authenticate("shop", "secret")).isTrue();
        assertThat(users.authenticate("shop", "{noop}secret")).isFalse();
    }

    @Test
    void refusesAPasswordWithoutPrefixAndDoesNotShowIt() {
        assertThatThrownBy(() -> users(user("shop", "secret")))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1030 ringtable.security.users[0].password of user 'shop'")
                .hasMessageContaining("{bcrypt}")
                .hasMessageNotContaining("secret");
    }

    @Test
    void knowsAUserByAVerifierOfScram() {
        Users users = users(user("shop", SCRAM));

        assertThat(users.authenticate("shop", "secret")).isTrue();
        assertThat(users.authenticate("shop", "Secret")).isFalse();
        assertThat(users.authenticate("shop", "")).isFalse();
        assertThat(users.scram().mechanisms()).isEqualTo(Map.of("SCRAM-SHA-256", Set.of("shop")));
        assertThatThrownBy(() -> users(user("shop", SCRAM.replace("}" + ITERATIONS, "}4000"))))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessage("RT-1058 ringtable.security.users[0].password of user 'shop' is no verifier for SCRAM: 4000"
                        + " iterations, not between 4096 and 1000000; bin/ringtable password prints one");
    }

    @Test
    void aUserWithACertificateAloneHasNoPassword() {
        Users users = users(user("shop", "{external}"));

        assertThat(users.isUser("shop")).isTrue();
        assertThat(users.isUser("nobody")).isFalse();
        assertThat(users.hasPasswords()).isFalse();
        assertThat(users.authenticate("shop", "{external}")).isFalse();
        Users mixed = users(user("shop", "{external}"), user("till", "{noop}secret"));
        assertThat(mixed.authenticate("shop", "secret")).isFalse();
        assertThat(mixed.authenticate("till", "secret")).isTrue();
    }

    @Test
    void refusesANameThatIsThereTwice() {
        assertThatThrownBy(() -> users(user("shop", "{noop}a"), user("shop", "{noop}b")))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1032 ringtable.security.users[1].name='shop'");
    }

    @Test
    void refusesAHashThatIsNone() {
        assertThatThrownBy(() -> users(user("shop", "{bcrypt}$2a$10$tooshort")))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1050 ringtable.security.users[0].password of user 'shop'")
                .hasMessageNotContaining("tooshort");
        assertThatThrownBy(() -> users(user("shop", "{pbkdf2}00")))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1050");
    }

    /** Cost 8 is a quarter of cost 10, and pbkdf2 another time altogether: the bound is far from both. */
    @Test
    void anUnknownUserTakesAsLongAsAWrongPassword() {
        assertUnknownTakesAsLong("{bcrypt}" + new BCryptPasswordEncoder(8).encode("secret"), 3);
        assertUnknownTakesAsLong(SCRAM, 3);
        String pbkdf2 = Pbkdf2PasswordEncoder.defaultsForSpringSecurity_v5_8().encode("secret");
        assertUnknownTakesAsLong("{pbkdf2}" + pbkdf2, 1); // one login hashes 310,000 times
    }

    /** @param tries of which the quickest counts */
    private static void assertUnknownTakesAsLong(String stored, int tries) {
        Users users = users(user("shop", stored));
        users.authenticate("shop", "warm");

        long known = Long.MAX_VALUE;
        long unknown = Long.MAX_VALUE;
        for (int i = 0; i < tries; i++) {
            known = Math.min(known, nanos(users, "shop"));
            unknown = Math.min(unknown, nanos(users, "nobody" + i));
        }

        assertThat((double) unknown / known).as("unknown / known").isBetween(0.5, 2.0);
    }

    /** Of processor time, which other load on the machine leaves alone. */
    private static long nanos(Users users, String name) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = threads.getCurrentThreadCpuTime();
        assertThat(users.authenticate(name, "wrong")).isFalse();
        return threads.getCurrentThreadCpuTime() - begin;
    }

    private static Users users(User... users) {
        return new Users(new SecurityProperties(
                List.of(users),
                List.of(),
                NOBODY,
                false,
                false,
                false,
                10,
                Duration.ofSeconds(10),
                Duration.ofMinutes(10),
                0,
                0,
                DataSize.ofBytes(0),
                NO_TOKENS));
    }

    private static User user(String name, String password, String... groups) {
        return new User(name, password, Set.of(groups), null, null, null);
    }
}
