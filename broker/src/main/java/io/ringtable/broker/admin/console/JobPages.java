package io.ringtable.broker.admin.console;

import io.ringtable.broker.admin.console.view.Column;
import io.ringtable.broker.admin.console.view.Facts;
import io.ringtable.broker.admin.console.view.Form;
import io.ringtable.broker.admin.console.view.Shown;
import io.ringtable.broker.admin.console.view.Table;
import io.ringtable.broker.management.Method;
import io.ringtable.broker.management.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.View;
import tools.jackson.databind.JsonNode;

/** Begins jobs over many messages, shows how far they are, cancels them. Thread: HTTP's. */
@Controller
final class JobPages {
    static final String LIST = ConsoleConfiguration.BASE + "/jobs";

    private static final String ONE = ConsoleConfiguration.BASE + "/job";

    /** Names how many messages the dry run before has found: a job itself knows only those that it has come to. */
    private static final String EXPECTED = "expected";

    private static final List<String> PARAMETERS = List.of(
            "action", "from", "subscription", "to", "selector", "reason", "origin", "since", "until", "rate", "max");
    private static final Set<String> NUMBERS = Set.of("rate", "max", "subscription");

    private static final List<Column> COLUMNS = List.of(
            Column.of("Job", "id")
                    .leadingTo(
                            item -> ONE + "?id=" + Asker.encoded(item.path("id").asString())),
            Column.of("What", "action"),
            Column.of("State", "state"),
            Column.of("From", "from"),
            Column.rare("To", "to"),
            Column.rare("Since", "since"),
            Column.rare("Until", "until"),
            Column.of("Matched", "matched"),
            Column.of("Done", "done"),
            Column.rare("Failed", "failed"),
            Column.rare("Dry run", "dryRun"),
            Column.of("Begun", "startedAt"),
            Column.rare("Ended", "endedAt"),
            Column.rare("By", "by"));

    private final ConsolePages pages;

    JobPages(ConsolePages pages) {
        this.pages = pages;
    }

    @GetMapping(LIST)
    View list(HttpServletRequest request, @RequestParam(required = false) String after) {
        Map<String, String> query = Queries.of("after", after);
        JsonNode listing = pages.asker(request).get("/jobs", query);
        return pages.page(request, "list", "Jobs")
                .with("search", null)
                .with("table", Table.of(listing.path("items"), COLUMNS))
                .with("empty", "No job has been begun. Dead letters are redriven from their desk.")
                .with("next", Queries.next(LIST, query, listing))
                .with("silent", Queries.silent(listing))
                .with("actions", List.of());
    }

    /** Begins a job; its page then offers to do in earnest what a dry run counted. */
    @PostMapping(LIST)
    View begin(HttpServletRequest request, @RequestParam Map<String, String> given) {
        boolean isDryRun = "true".equals(given.get("dryRun"));
        Map<String, Object> body = new LinkedHashMap<>();
        PARAMETERS.forEach(name -> body.putAll(Queries.of(name, given.get(name))));
        NUMBERS.forEach(name -> body.computeIfPresent(name, (any, text) -> numberOf(name, text.toString())));
        body.put("dryRun", isDryRun);
        JsonNode job = pages.asker(request).ask(Method.POST, "/jobs", Map.of(), body);
        return EntryPages.redirect(Queries.url(
                ONE, Queries.of("id", job.path("id").asString(), EXPECTED, isDryRun ? null : given.get(EXPECTED))));
    }

    private static Long numberOf(String name, String text) {
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            throw new AskRefused(
                    400, new Problem("RT-7406", name + "='" + text + "' is no number: write one, or leave it empty"));
        }
    }

    @GetMapping(ONE)
    View show(HttpServletRequest request, @RequestParam Map<String, String> given) {
        String id = given.getOrDefault("id", "");
        return filled(pages.page(request, "job", "Job " + id).with("isAnswer", false), request, given);
    }

    @GetMapping(ConsoleSession.LIVE + "job")
    View live(HttpServletRequest request, @RequestParam Map<String, String> given) {
        return filled(pages.part("job :: answer").with("isAnswer", true), request, given);
    }

    private ConsolePage filled(ConsolePage page, HttpServletRequest request, Map<String, String> given) {
        Asker asker = pages.asker(request);
        String id = given.getOrDefault("id", "");
        JsonNode job = asker.get(Asker.path("jobs", id));
        boolean isRunning = job.path("state").asString("").equals("RUNNING");
        boolean isDryRun = job.path("dryRun").asBoolean(false);
        long matched = job.path("matched").asLong();
        page.with("facts", Facts.of("", job))
                .with("state", job.path("state").asString(""))
                .with("error", job.path("error").asString(null))
                .with("isRunning", isRunning)
                .with("progress", Progress.of(job, isDryRun, given.get(EXPECTED)))
                .with(
                        "liveUrl",
                        Queries.url(ConsoleSession.LIVE + "job", Queries.of("id", id, EXPECTED, given.get(EXPECTED))));
        String from = job.path("from").asString("");
        if (isRunning && asker.offers("DELETE /jobs/{id}", from)) {
            page.with("cancel", Form.button(ONE + "/cancel", null, "Cancel the job", Map.of("id", id)));
        }
        if (!isRunning && isDryRun && matched > 0 && asker.offers("POST /jobs", from)) {
            page.with("inEarnest", inEarnest(job, matched));
        }
        return page;
    }

    /**
     * Says how far a job is.
     *
     * @param total null if nobody knows it
     * @param isShown whether a bar shows it
     */
    record Progress(long done, Long total, String text, boolean isShown) {
        private static Progress of(JsonNode job, boolean isDryRun, String expected) {
            long matched = job.path("matched").asLong();
            long failed = job.path("failed").asLong();
            long done = job.path("done").asLong() + failed;
            if (isDryRun) {
                return new Progress(0, null, Shown.number(matched) + " match", false);
            }
            boolean isExpected = expected != null && expected.matches("\\d{1,18}") && Long.parseLong(expected) >= done;
            Long total = isExpected ? Long.valueOf(expected) : null;
            String text = Shown.number(done)
                    + (total == null ? " done" : " of " + Shown.number(total))
                    + (failed == 0 ? "" : ", " + Shown.number(failed) + " of them failed");
            return new Progress(
                    done, total, text, job.path("state").asString("").equals("RUNNING"));
        }
    }

    /** Offers what the dry run was for. The job says it: anybody may have written the address of the page. */
    private static Form inEarnest(JsonNode job, long matched) {
        Map<String, String> sent = new LinkedHashMap<>();
        PARAMETERS.forEach(name -> sent.putAll(Queries.of(name, job.path(name).asString(null))));
        sent.put(EXPECTED, String.valueOf(matched));
        String action = job.path("action").asString("");
        String text =
                Shown.words(action) + " " + Shown.number(matched) + (matched == 1 ? " message now" : " messages now");
        return action.equals("delete") ? Form.danger(LIST, null, text, sent) : Form.button(LIST, null, text, sent);
    }

    @PostMapping(ONE + "/cancel")
    View cancel(HttpServletRequest request, @RequestParam String id) {
        pages.asker(request).ask(Method.DELETE, Asker.path("jobs", id), Map.of(), null);
        return EntryPages.redirect(ONE + "?id=" + Asker.encoded(id) + "&note=cancelled");
    }
}
