package io.ringtable.cli.user;

import io.ringtable.cli.administration.Fields;
import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.manage.Resource;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Administers roles: who administers the broker, and how far. */
@Command(name = "role", description = "Lists and sets who administers the broker, and how far.")
public final class RoleCommand extends ManagementCommand {

    /** Names a role as one types it. */
    enum Role {
        viewer,
        operator,
        administrator
    }

    @Command(name = "list", description = "Lists the roles with those who have them.", mixinStandardHelpOptions = true)
    void list(
            @Mixin ListOptions options,
            @Option(names = "--filter", paramLabel = "TEXT", description = FILTER) String filter) {
        list(
                Resource.of("roles").with("filter", filter),
                options,
                "role",
                "users",
                "groups",
                "configuredUsers",
                "configuredGroups",
                "changedBy",
                "changedAt");
    }

    @Command(
            name = "put",
            description = "Sets who has a role at run time, beside those of the configuration; nobody without options.",
            mixinStandardHelpOptions = true)
    void put(
            @Parameters(paramLabel = "ROLE", description = "${COMPLETION-CANDIDATES}") Role role,
            @Option(
                            names = "--users",
                            paramLabel = "NAME,...",
                            split = ",",
                            description = "Users that have it, with commas; * is every user.")
                    List<String> users,
            @Option(
                            names = "--groups",
                            paramLabel = "NAME,...",
                            split = ",",
                            description = "Groups that have it, with commas.")
                    List<String> groups) {
        Fields who = new Fields()
                .with("users", users == null ? List.of() : users)
                .with("groups", groups == null ? List.of() : groups);
        say(broker().put(Resource.of("roles", role), who), "set role " + role);
    }
}
