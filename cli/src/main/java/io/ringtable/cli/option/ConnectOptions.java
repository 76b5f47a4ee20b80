package io.ringtable.cli.option;

import io.ringtable.cli.terminal.Passwords;
import io.ringtable.client.ClientBuilder;
import io.ringtable.client.Reconnect;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.TlsOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Names the broker and the user; every command that connects has these options. */
public final class ConnectOptions {
    public static final String PASSWORD_VARIABLE = "RINGTABLE_CLI_PASSWORD";

    @Option(
            names = "--url",
            paramLabel = "URL",
            defaultValue = "${env:RINGTABLE_CLI_URL:-amqp://localhost:5672}",
            description = "Broker, amqp://HOST:PORT or amqps://HOST:PORT (default: ${DEFAULT-VALUE}; environment:"
                    + " RINGTABLE_CLI_URL).")
    private String url;

    @Option(
            names = "--user",
            paramLabel = "NAME",
            defaultValue = "${env:RINGTABLE_CLI_USER}",
            description =
                    "User to log in as, unless the URL names one. The password comes from the environment variable"
                            + " RINGTABLE_CLI_PASSWORD or from a prompt, never from an argument.")
    private String user;

    @Option(
            names = "--trust",
            paramLabel = "PEM",
            description = "Certificates to trust for amqps:// instead of the JDK's own.")
    private Path trustedPem;

    /** Returns a builder with everything set that these options say. */
    public ClientBuilder builder() {
        ClientBuilder builder = RingtableClient.builder()
                .uri(url)
                .name("ringtable-cli")
                // A script has to learn that its broker is gone, but a restart may pass unnoticed.
                .reconnect(Reconnect.DEFAULT.giveUpAfter(Duration.ofSeconds(30)));
        String name = user == null || user.isBlank() ? userOf(url) : user;
        if (name != null) {
            String password = Passwords.of(name, PASSWORD_VARIABLE);
            builder.user(name, () -> password);
        }
        if (trustedPem != null) {
            builder.tls(TlsOptions.DEFAULT.trustPem(trustedPem));
        }
        return builder;
    }

    /** Returns the user whom the URL names; null if there is none. The builder refuses a URL that cannot be read. */
    private static String userOf(String url) {
        try {
            return new URI(url).getUserInfo();
        } catch (URISyntaxException refused) {
            return null;
        }
    }
}
