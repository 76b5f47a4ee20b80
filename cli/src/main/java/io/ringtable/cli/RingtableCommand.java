package io.ringtable.cli;

import io.ringtable.cli.address.AddressCommand;
import io.ringtable.cli.address.DeleteCommand;
import io.ringtable.cli.address.PolicyCommand;
import io.ringtable.cli.address.ProducerCommand;
import io.ringtable.cli.address.SubscriptionCommand;
import io.ringtable.cli.connection.ConnectionCommand;
import io.ringtable.cli.connection.LinkCommand;
import io.ringtable.cli.connection.TransactionCommand;
import io.ringtable.cli.failure.FailureLine;
import io.ringtable.cli.message.DeadLetterCommand;
import io.ringtable.cli.message.ExplainCommand;
import io.ringtable.cli.message.JobCommand;
import io.ringtable.cli.message.MessageCommand;
import io.ringtable.cli.run.ArchiveCommand;
import io.ringtable.cli.run.BrokerCommand;
import io.ringtable.cli.run.ClusterCommand;
import io.ringtable.cli.run.DemoCommand;
import io.ringtable.cli.status.NodeCommand;
import io.ringtable.cli.status.ShardCommand;
import io.ringtable.cli.status.StatusCommand;
import io.ringtable.cli.store.BackupCommand;
import io.ringtable.cli.store.RestoreCommand;
import io.ringtable.cli.traffic.BridgeCommand;
import io.ringtable.cli.traffic.PublishCommand;
import io.ringtable.cli.traffic.SubscribeCommand;
import io.ringtable.cli.user.PasswordCommand;
import io.ringtable.cli.user.RoleCommand;
import io.ringtable.cli.user.RuleCommand;
import io.ringtable.cli.user.UserCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Spec;

/** Runs {@code ringtable} with its subcommands. */
@Command(
        name = "ringtable",
        description = "A durable message broker on a relational disruptor table.",
        mixinStandardHelpOptions = true,
        versionProvider = RingtableCommand.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done completely",
            "1:not done, or not all of it; the last line on standard error says why",
            "2:the command line cannot be understood",
            "3:no broker answers",
            "4:the broker refuses the user, the password or the certificate"
        })
public final class RingtableCommand implements Runnable {

    private static final List<Class<?>> COMMANDS = List.of(
            DemoCommand.class,
            BrokerCommand.class,
            ClusterCommand.class,
            PublishCommand.class,
            SubscribeCommand.class,
            BridgeCommand.class,
            MessageCommand.class,
            ExplainCommand.class,
            DeadLetterCommand.class,
            StatusCommand.class,
            NodeCommand.class,
            ShardCommand.class,
            AddressCommand.class,
            SubscriptionCommand.class,
            JobCommand.class,
            ConnectionCommand.class,
            LinkCommand.class,
            TransactionCommand.class,
            ProducerCommand.class,
            PolicyCommand.class,
            DeleteCommand.class,
            UserCommand.class,
            RuleCommand.class,
            RoleCommand.class,
            BackupCommand.class,
            RestoreCommand.class,
            PasswordCommand.class,
            ArchiveCommand.class,
            BenchCommand.class,
            CompletionCommand.class);

    @Spec
    private CommandSpec spec;

    public static void main(String[] args) {
        System.exit(execute(args));
    }

    static int execute(String... args) {
        return commandLine(args).execute(args);
    }

    /** Returns the command line with the command that the arguments begin with, or with all if that says nothing. */
    static CommandLine commandLine(String... args) {
        FailureLine failures = new FailureLine();
        CommandLine commandLine = new CommandLine(new RingtableCommand());
        commandsFor(args).forEach(commandLine::addSubcommand);
        for (String passingOn : List.of("broker", "cluster", "demo")) {
            // These take options as properties of the broker.
            CommandLine command = commandLine.getSubcommands().get(passingOn);
            if (command != null) {
                command.setUnmatchedOptionsArePositionalParams(true);
            }
        }
        commandLine.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
        commandLine.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandGroups::list);
        return commandLine
                .setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8))
                .setExecutionExceptionHandler(failures)
                .setParameterExceptionHandler(failures)
                .setUsageHelpAutoWidth(true);
    }

    /** Leaves out commands that are not asked for: to make all of them takes a third of a short command's time. */
    private static List<Class<?>> commandsFor(String... args) {
        List<Class<?>> asked = COMMANDS.stream()
                .filter(command -> args.length > 0 && nameOf(command).equals(args[0]))
                .toList();
        // The script for shells has all commands.
        return asked.isEmpty() || asked.contains(CompletionCommand.class) ? COMMANDS : asked;
    }

    private static String nameOf(Class<?> command) {
        return command.getAnnotation(Command.class).name();
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "a command is missing");
    }

    /** Returns the version in the jar's manifest. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = RingtableCommand.class.getPackage().getImplementationVersion();
            return new String[] {"ringtable " + (version == null ? "(not packaged)" : version)};
        }
    }
}
