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

/** Administers rules: what users may do, by address. */
@Command(name = "rule", description = "Lists, sets and deletes rules, which say what users may do with addresses.")
public final class RuleCommand extends ManagementCommand {
    private static final String NAME = "Name of the rule.";

    @Command(
            name = "list",
            description = "Lists the rules, those of the configuration too.",
            mixinStandardHelpOptions = true)
    void list(
            @Mixin ListOptions options,
            @Option(names = "--filter", paramLabel = "TEXT", description = FILTER) String filter) {
        list(
                Resource.of("rules").with("filter", filter),
                options,
                "name",
                "match",
                "users",
                "groups",
                "permissions",
                "source",
                "changedBy",
                "changedAt");
    }

    @Command(
            name = "put",
            description = "Sets a rule, such as 'rule put shop --match orders.# --groups shops --permissions send'.",
            mixinStandardHelpOptions = true)
    void put(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Option(
                            names = "--match",
                            required = true,
                            paramLabel = "PATTERN",
                            description = "Addresses that it is about: * stands for a word, # for any.")
                    String match,
            @Option(
                            names = "--users",
                            paramLabel = "NAME,...",
                            split = ",",
                            description = "Users that it is about, with commas; * is every user.")
                    List<String> users,
            @Option(
                            names = "--groups",
                            paramLabel = "NAME,...",
                            split = ",",
                            description = "Groups that it is about, with commas.")
                    List<String> groups,
            @Option(
                            names = "--permissions",
                            required = true,
                            paramLabel = "WHAT,...",
                            split = ",",
                            description = "What they may do, with commas: send, receive, browse, create, delete,"
                                    + " manage.")
                    List<String> permissions) {
        Fields rule = new Fields()
                .with("match", match)
                .with("users", users)
                .with("groups", groups)
                .with("permissions", permissions);
        say(broker().put(Resource.of("rules", name), rule), "set rule " + name);
    }

    @Command(name = "delete", description = "Deletes a rule.", mixinStandardHelpOptions = true)
    void delete(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Option(names = "--force", description = "Delete the last rule too: every user may do everything then.")
                    boolean force) {
        delete(Resource.of("rules", name).with("force", force), "deleted rule " + name);
    }
}
