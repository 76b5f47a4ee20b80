package io.ringtable.cli;

import java.util.List;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;

/** Lists the commands of {@code ringtable --help} by what somebody wants to do. */
final class CommandGroups {
    private static final int INDENT = 2;

    /** Names commands that serve one purpose. */
    record Group(String title, List<String> commands) {}

    static final List<Group> ALL = List.of(
            new Group("Run a broker", List.of("demo", "broker", "cluster", "archive")),
            new Group("Messages", List.of("publish", "subscribe", "bridge", "message", "explain", "deadletter")),
            new Group(
                    "Look and administrate",
                    List.of(
                            "status",
                            "node",
                            "shard",
                            "address",
                            "subscription",
                            "job",
                            "connection",
                            "link",
                            "transaction",
                            "producer",
                            "policy",
                            "delete")),
            new Group("Say who may", List.of("user", "rule", "role")),
            new Group("Copy a store", List.of("backup", "restore")),
            new Group("Tools", List.of("password", "bench", "completion")));

    private CommandGroups() {}

    /** Renders the list; the descriptions of all groups begin in one column. */
    static String list(Help help) {
        int name = INDENT
                + help.subcommands().keySet().stream()
                        .mapToInt(String::length)
                        .max()
                        .orElse(0);
        int width = help.commandSpec().usageMessage().width();
        StringBuilder list = new StringBuilder();
        for (Group group : ALL) {
            TextTable table = TextTable.forColumns(
                    help.colorScheme(),
                    new Column(name, INDENT, Column.Overflow.SPAN),
                    new Column(width - name, INDENT, Column.Overflow.WRAP));
            for (String command : group.commands()) {
                Help of = help.subcommands().get(command);
                table.addRowValues(
                        help.colorScheme().commandText(command),
                        help.colorScheme().text(of.commandSpec().usageMessage().description()[0]));
            }
            list.append(help.createHeading("%n" + group.title() + ":%n")).append(table);
        }
        return list.toString();
    }
}
