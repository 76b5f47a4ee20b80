package io.ringtable.cli;

import io.ringtable.cli.manage.Resource;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Administers users of the broker. */
@Command(name = "user", description = "Lists, adds, changes and removes users, and shows who you are.")
final class UserCommand extends ManagementCommand {
    private static final String NAME = "Name of the user.";
    private static final String GROUPS = "Groups of the user, with commas between them.";

    @Command(name = "list", description = "Lists the users.", mixinStandardHelpOptions = true)
    void list(
            @Mixin ListOptions options,
            @Option(names = "--filter", paramLabel = "TEXT", description = FILTER) String filter) {
        list(Resource.of("users").with("filter", filter), options, "name", "groups", "from", "changedBy", "changedAt");
    }

    @Command(
            name = "add",
            description = "Adds a user. The password comes from a prompt or from standard input.",
            mixinStandardHelpOptions = true)
    void add(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Option(names = "--groups", paramLabel = "NAME,...", split = ",", description = GROUPS) List<String> groups,
            @Mixin NewPassword password)
            throws IOException {
        if (exists(name)) {
            throw new CommandFailed(
                    ExitCode.FAILED, "RT-6049", "user '" + name + "' exists: change it with 'user change'");
        }
        put(name, new Fields().with("password", password.read()).with("groups", groups), "added user " + name);
    }

    @Command(
            name = "change",
            description = "Changes the groups of a user, or the password with --password or --stdin.",
            mixinStandardHelpOptions = true)
    void change(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Option(names = "--groups", paramLabel = "NAME,...", split = ",", description = GROUPS) List<String> groups,
            @Option(names = "--password", description = "Ask for a new password.") boolean asks,
            @Mixin NewPassword password)
            throws IOException {
        if (!exists(name)) {
            throw new CommandFailed(ExitCode.FAILED, "RT-6050", "there is no user '" + name + "': 'user list' has all");
        }
        String chosen = asks || password.isGiven() ? password.read() : null;
        put(name, new Fields().with("password", chosen).with("groups", groups), "changed user " + name);
    }

    private boolean exists(String name) {
        return broker().list(Resource.of("users").with("filter", name), Integer.MAX_VALUE).items().stream()
                .anyMatch(user -> user.path("name").asString("").equals(name));
    }

    private void put(String name, Fields user, String words) {
        say(broker().put(Resource.of("users", name), user), words);
    }

    @Command(name = "remove", description = "Removes a user.", mixinStandardHelpOptions = true)
    void remove(@Parameters(paramLabel = "NAME", description = NAME) String name) {
        delete(Resource.of("users", name), "removed user " + name);
    }

    @Command(
            name = "whoami",
            description = "Shows as whom the broker knows you, and with which role.",
            mixinStandardHelpOptions = true)
    void whoAmI() {
        JsonNode me = broker().get(Resource.of("whoami"));
        show(me);
    }
}
