package io.ringtable.broker.config;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Who may connect.
 *
 * @param users Users of AMQP; with none, clients of this machine connect without a name.
 * @param allowAnonymousRemote Listen on another interface than loopback although there are no users.
 */
@Validated
@ConfigurationProperties("ringtable.security")
public record SecurityProperties(
        @DefaultValue List<@Valid User> users,
        @DefaultValue("false") boolean allowAnonymousRemote) {

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
