package io.ringtable.cli.message;

import io.ringtable.cli.administration.JobOptions;
import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.manage.Resource;
import io.ringtable.client.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Administers jobs: work of the broker over many messages. */
@Command(name = "job", description = "Starts, lists, shows, watches and cancels the broker's work over many messages.")
public final class JobCommand extends ManagementCommand {
    private static final String ID = "Number of the job, as the list has it.";

    /** Names what a job does as one types it. */
    enum Action {
        redrive,
        move,
        copy,
        delete
    }

    @Command(name = "list", description = "Lists jobs, those that have ended too.", mixinStandardHelpOptions = true)
    void list(
            @Mixin ListOptions options,
            @Option(
                            names = "--filter",
                            paramLabel = "TEXT",
                            description = "Show those only of addresses, or begun by users, whose name contains TEXT.")
                    String filter,
            @Option(
                            names = "--state",
                            paramLabel = "STATE",
                            description = "Show those only that are running, done, cancelled or failed.")
                    String state) {
        list(
                Resource.of("jobs").with("filter", filter).with("state", state),
                options,
                "id",
                "action",
                "from",
                "to",
                "dryRun",
                "state",
                "matched",
                "done",
                "failed",
                "startedAt",
                "endedAt",
                "by",
                "error");
    }

    @Command(name = "show", description = "Shows a job as it stands.", mixinStandardHelpOptions = true)
    void show(@Parameters(paramLabel = "ID", description = ID) long id) {
        show(broker().get(Resource.of("jobs", id)));
    }

    @Command(
            name = "watch",
            description = "Waits for the end of a job; Ctrl-C leaves it running.",
            mixinStandardHelpOptions = true)
    void watch(@Parameters(paramLabel = "ID", description = ID) long id) {
        watch(id, -1);
    }

    @Command(name = "cancel", description = "Ends a job. What it has done stays done.", mixinStandardHelpOptions = true)
    void cancel(@Parameters(paramLabel = "ID", description = ID) long id) {
        delete(Resource.of("jobs", id), "cancelled job " + id);
    }

    @Command(
            name = "start",
            description = "Works over the messages of an address, such as 'job start copy orders --to audit'.",
            mixinStandardHelpOptions = true)
    void start(
            @Parameters(index = "0", paramLabel = "ACTION", description = "${COMPLETION-CANDIDATES}") Action action,
            @Parameters(index = "1", paramLabel = "FROM", description = "Name of the address with the messages.")
                    String from,
            @Option(
                            names = "--to",
                            paramLabel = "NAME",
                            description = "Name of the address that gets the messages; redrive does without.")
                    String to,
            @Option(
                            names = "--subscription",
                            paramLabel = "ID",
                            description = "Number of the subscription whose messages it takes, of a topic.")
                    Long subscription,
            @Mixin JobOptions options) {
        begin(
                options.job(action.name(), Address.of(from).name())
                        .with("subscription", subscription)
                        .with("to", to == null ? null : Address.of(to).name()),
                options);
    }
}
