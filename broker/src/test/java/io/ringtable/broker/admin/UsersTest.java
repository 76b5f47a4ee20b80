package io.ringtable.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.config.SecurityProperties.User;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;

class UsersTest {

    @Test
    void knowsAUserByTheHashOfItsPassword() {
        Users users = users(new User("shop", "{bcrypt}" + new BCryptPasswordEncoder(4).encode("secret")));

        assertThat(users.authenticate("shop", "secret")).isTrue();
        assertThat(users.authenticate("shop", "Secret")).isFalse();
        assertThat(users.authenticate("shop", "")).isFalse();
        assertThat(users.authenticate("nobody", "secret")).isFalse();
    }

    @Test
    void takesAHashMadeByHtpasswd() {
        // htpasswd -bnBC 4 "" secret writes $2y$ where others write $2a$
        String hash = new BCryptPasswordEncoder(BCryptPasswordEncoder.BCryptVersion.$2Y, 4).encode("secret");

        assertThat(users(new User("shop", "{bcrypt}" + hash)).authenticate("shop", "secret"))
                .isTrue();
    }

    @Test
    void takesPlainTextForATrial() {
        Users users = users(new User("shop", "{noop}secret"));

        assertThat(users.authenticate("shop", "secret")).isTrue();
        assertThat(users.authenticate("shop", "{noop}secret")).isFalse();
    }

    @Test
    void refusesAPasswordWithoutPrefixAndDoesNotShowIt() {
        assertThatThrownBy(() -> users(new User("shop", "secret")))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1030 ringtable.security.users[0].password of user 'shop'")
                .hasMessageContaining("{bcrypt}")
                .hasMessageNotContaining("secret");
    }

    @Test
    void refusesANameThatIsThereTwice() {
        assertThatThrownBy(() -> users(new User("shop", "{noop}a"), new User("shop", "{noop}b")))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1032 ringtable.security.users[1].name='shop'");
    }

    private static Users users(User... users) {
        return new Users(new SecurityProperties(List.of(users), false));
    }
}
