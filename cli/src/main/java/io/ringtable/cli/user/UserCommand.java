package io.ringtable.cli.user;

import io.ringtable.cli.administration.Fields;
import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.manage.Resource;
import io.ringtable.cli.terminal.NewPassword;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Administers users of the broker. */
@Command(name = "user", description = "Lists, adds, changes and removes users, and shows who you are.")
public final class UserCommand extends ManagementCommand {
    private static final String NAME = "Name of the user.";
    private static final String GROUPS = "Groups of the user, with commas between them.";

    @Command(name = "list", description = "Lists the users.", mixinStandardHelpOptions = true)
    void list(
            @Mixin ListOptions options,
            @Option(names = "--filter", paramLabel = "TEXT", description = FILTER) String filter) {
        list(
                Resource.of("users").with("filter", filter),
                options,
                "name",
                "groups",
                "connectionsMax",
                "messagesPerSecond",
                "bytesPerSecond",
                "passwordKind",
                "source",
                "changedBy",
                "changedAt");
    }

    @Command(
            name = "add",
            description = "Adds a user. The password comes from a prompt or from standard input.",
            mixinStandardHelpOptions = true)
    void add(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Option(names = "--groups", paramLabel = "NAME,...", split = ",", description = GROUPS) List<String> groups,
            @Option(
                            names = "--external",
                            description = "Let the user log in with a client certificate alone, and do not ask.")
                    boolean external,
            @Mixin UserBoundsOptions bounds,
            @Mixin NewPassword password)
            throws IOException {
        if (!external) {
            broker().checkUnseen("password");
        }
        if (exists(name)) {
            throw new CommandFailed(
                    ExitCode.FAILED, "RT-6049", "user '" + name + "' exists: change it with 'user change'");
        }
        Fields user = external
                ? new Fields().with("passwordHash", "{external}")
                : new Fields().with("password", password.read());
        put(name, bounds.in(user.with("groups", groups)), "added user " + name);
    }

    @Command(
            name = "change",
            description = "Changes a user's groups and bounds, or with --password or --stdin the password; what is not"
                    + " said stays. Another password closes the user's connections.",
            mixinStandardHelpOptions = true)
    void change(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Option(names = "--groups", paramLabel = "NAME,...", split = ",", description = GROUPS) List<String> groups,
            @Option(names = "--password", description = "Ask for a new password.") boolean asks,
            @Mixin UserBoundsOptions bounds,
            @Mixin NewPassword password)
            throws IOException {
        boolean chooses = asks || password.isGiven();
        if (chooses) {
            broker().checkUnseen("password");
        }
        if (!exists(name)) {
            throw new CommandFailed(ExitCode.FAILED, "RT-6050", "there is no user '" + name + "': 'user list' has all");
        }
        Fields user = new Fields().with("password", chooses ? password.read() : null);
        put(name, bounds.in(user.with("groups", groups)), "changed user " + name);
    }

    private boolean exists(String name) {
        return !broker().list(
                        Resource.of("users"),
                        1,
                        user -> user.path("name").asString("").equals(name))
                .items()
                .isEmpty();
    }

    private void put(String name, Fields user, String words) {
        say(broker().put(Resource.of("users", name), user), words);
    }

    @Command(
            name = "remove",
            description = "Removes a user and closes the user's connections.",
            mixinStandardHelpOptions = true)
    void remove(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Option(
                            names = "--force",
                            description = "Remove the last user too: everybody on the broker's machine may do"
                                    + " everything then.")
                    boolean force) {
        delete(Resource.of("users", name).with("force", force), "removed user " + name);
    }

    @Command(
            name = "whoami",
            description = "Shows as whom the broker knows you, and with which role.",
            mixinStandardHelpOptions = true)
    void whoAmI() {
        show(broker().get(Resource.of("whoami")));
    }
}
