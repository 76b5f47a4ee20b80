package io.ringtable.cli.option;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.manage.BrokerHttp;
import io.ringtable.cli.manage.Login;
import io.ringtable.cli.terminal.Passwords;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** Names the broker's management address and the user; every command that asks over HTTP has these options. */
public final class HttpOptions {
    @Option(
            names = "--http",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            defaultValue = "${env:RINGTABLE_CLI_HTTP:-http://127.0.0.1:8161}",
            description =
                    "Management address of the broker (default: ${DEFAULT-VALUE}; environment: RINGTABLE_CLI_HTTP).")
    private URI http;

    @Option(
            names = "--user",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            defaultValue = "${env:RINGTABLE_CLI_USER}",
            description = "User to log in as (environment: RINGTABLE_CLI_USER). The password comes from the environment"
                    + " variable RINGTABLE_CLI_PASSWORD or from a prompt, never from an argument.")
    private String user;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "File with a bearer token, to log in with instead of a user.")
    private Path tokenFile;

    @Option(
            names = "--trust",
            paramLabel = "PEM",
            scope = ScopeType.INHERIT,
            description = "Certificates to trust for https:// instead of the JDK's own.")
    private Path trustedPem;

    @Option(
            names = "--allow-plain-remote",
            scope = ScopeType.INHERIT,
            description = "Send the login without TLS to another machine, although the network sees it.")
    private boolean allowPlainRemote;

    /** Returns a way to the broker; nothing has been asked yet, except a user for the password. */
    public BrokerHttp connect() {
        return BrokerHttp.of(http, login(), trustedPem, allowPlainRemote);
    }

    private Login login() {
        if (tokenFile != null) {
            return Login.bearer(token());
        }
        return user == null || user.isBlank()
                ? Login.NONE
                : Login.basic(user, Passwords.of(user, ConnectOptions.PASSWORD_VARIABLE));
    }

    private String token() {
        String token;
        try {
            token = Files.readString(tokenFile).strip();
        } catch (IOException e) {
            throw new CommandFailed(
                    ExitCode.USAGE,
                    "RT-6043",
                    "the token cannot be read from " + tokenFile + " ("
                            + e.getClass().getSimpleName() + "): name a file that exists and is readable");
        }
        if (!token.matches("[!-~]+")) {
            throw new CommandFailed(
                    ExitCode.USAGE, "RT-6044", tokenFile + " holds no bearer token: one line of ASCII without spaces");
        }
        return token;
    }

    /** Returns the management address. */
    @Override
    public String toString() {
        return String.valueOf(http);
    }
}
