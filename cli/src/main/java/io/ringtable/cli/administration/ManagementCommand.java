package io.ringtable.cli.administration;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.manage.Details;
import io.ringtable.cli.manage.ManagementClient;
import io.ringtable.cli.manage.ManagementFailure;
import io.ringtable.cli.manage.Resource;
import io.ringtable.cli.manage.Table;
import io.ringtable.cli.manage.Values;
import io.ringtable.cli.option.HttpOptions;
import io.ringtable.cli.option.TimeOptions;
import io.ringtable.cli.terminal.Terminal;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Is what commands of administration share: the way to the broker, and how answers are shown. A subclass is one kind of
 * thing; each of its methods is a command.
 */
@Command(mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND")
public abstract class ManagementCommand implements Runnable {
    protected static final String FILTER = "Show those only whose name contains TEXT, whatever the case.";

    private static final int PAGE_WIDTH = 120;

    /** Names a form of answers as one types it. */
    enum Output {
        table,
        json
    }

    @Mixin
    private HttpOptions http;

    @Option(
            names = "--output",
            paramLabel = "FORM",
            scope = ScopeType.INHERIT,
            defaultValue = "table",
            description = "table, or json: the broker's answer, of a list a line of JSON for each item.")
    private Output output;

    @Spec
    private CommandSpec spec;

    private ManagementClient broker; // once it was asked

    /** Refuses to run: a group does nothing by itself. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }

    protected final ManagementClient broker() {
        if (broker == null) {
            broker = new ManagementClient(http.connect());
        }
        return broker;
    }

    /** Prints a list. @param fields of the table's columns */
    protected final void list(Resource list, ListOptions options, String... fields) {
        print(broker().list(list, options.limit()), options, fields);
    }

    private void print(ManagementClient.Items found, ListOptions options, String... fields) {
        print(found.items(), fields);
        if (found.more()) {
            note("There are more than " + options.limit() + ": raise --limit to see them.");
        }
        if (!found.silent().isEmpty()) {
            note("Without those of " + String.join(", ", found.silent()) + ", which did not answer in time.");
        }
    }

    /** Says what belongs to no answer, on standard error. */
    protected final void note(String text) {
        spec.commandLine().getErr().println(text);
    }

    /** Prints items. @param fields of the table's columns */
    protected final void print(List<JsonNode> items, String... fields) {
        if (output == Output.json) {
            items.forEach(this::printJson);
        } else if (items.isEmpty()) {
            out().println("(none)");
        } else {
            Table.of(items, List.of(fields), width(Table.UNBOUNDED)).forEach(out()::println);
        }
    }

    /** Prints one thing with all its fields. @param asJson names of fields that stay JSON */
    protected final void show(JsonNode thing, String... asJson) {
        if (output == Output.json) {
            printJson(thing);
        } else {
            Details.of(thing, width(PAGE_WIDTH), asJson).forEach(out()::println);
        }
    }

    /** Prints what was done: in words, or as the broker has answered. */
    protected final void say(JsonNode answer, String words) {
        if (output == Output.table) {
            out().println(Values.clean(words));
        } else if (!answer.isMissingNode()) {
            printJson(answer);
        }
    }

    protected final void delete(Resource resource, String words) {
        say(broker().delete(resource), words);
    }

    /** Returns the width of the terminal. @param otherwise if it is none */
    private int width(int otherwise) {
        return Terminal.takesOutput() ? spec.usageMessage().width() : otherwise;
    }

    // ---- jobs

    /** Begins a job, and waits for its end unless the options say otherwise. */
    protected final void begin(Fields job, JobOptions options) {
        options.time().check(spec.commandLine());
        long total = options.takesAll() ? messagesOf(String.valueOf(job.all().get("from"))) : -1;
        JsonNode begun = broker().post(Resource.of("jobs"), job);
        long id = begun.path("id").asLong();
        if (options.isDetached()) {
            say(begun, JobWatch.goesOn(id));
        } else {
            watch(id, total);
        }
    }

    /**
     * Deletes what waits, by a job, and waits for its end.
     *
     * @param subscription whose messages they are; null for a queue's
     */
    protected final void purge(String address, Long subscription, TimeOptions time) {
        time.check(spec.commandLine());
        Fields job = new Fields()
                .with("action", "delete")
                .with("from", address)
                .with("subscription", subscription)
                .with("since", time.since())
                .with("until", time.until());
        watch(broker().post(Resource.of("jobs"), job).path("id").asLong(), -1);
    }

    /** Counts for the progress bar alone, which can do without. */
    private long messagesOf(String address) {
        if (!Terminal.isAttached()) {
            return -1;
        }
        try {
            return broker().get(Resource.of("addresses", address))
                    .path("messages")
                    .asLong(-1);
        } catch (ManagementFailure unknown) {
            return -1;
        }
    }

    /**
     * Waits for the end of a job, and says how it ended.
     *
     * @param total messages that it works with; -1 = unknown
     * @throws CommandFailed RT-6048 unless it ended well
     */
    protected final void watch(long id, long total) {
        JsonNode job = new JobWatch(broker(), spec.commandLine().getErr(), id).await(total);
        long failed = job.path("failed").asLong();
        boolean dryRun = job.path("dryRun").asBoolean(false);
        String what = "job " + id + " (" + (dryRun ? "dry run of " : "")
                + job.path("action").asString("").toLowerCase(Locale.ROOT) + " from "
                + job.path("from").asString("") + ")";
        String count = String.format(
                Locale.ROOT,
                dryRun ? "%,d messages match, nothing is changed" : "%,d messages done",
                job.path(dryRun ? "matched" : "done").asLong());
        say(job, what + ": " + count);
        String state = job.path("state").asString("");
        if (failed > 0 || !state.equalsIgnoreCase("DONE")) {
            String error = job.path("error").asString("");
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6048",
                    what + " ended as " + state
                            + (failed == 0 ? "" : String.format(Locale.ROOT, ", and %,d messages stay", failed))
                            + (error.isEmpty() ? "" : ": " + error));
        }
    }

    // ---- output

    private void printJson(JsonNode node) {
        out().println(JsonMapper.shared().writeValueAsString(node));
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
