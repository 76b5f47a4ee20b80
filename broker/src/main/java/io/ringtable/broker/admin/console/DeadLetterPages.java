package io.ringtable.broker.admin.console;

import io.ringtable.broker.admin.console.view.Facts;
import io.ringtable.broker.admin.console.view.Form;
import io.ringtable.broker.admin.console.view.Shown;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.View;
import tools.jackson.databind.JsonNode;

/** Shows dead letters in groups, each with the ways on: look, dry run, redrive. Thread: HTTP's. */
@Controller
final class DeadLetterPages {
    static final String DESK = ConsoleConfiguration.BASE + "/deadletters";

    private final ConsolePages pages;

    DeadLetterPages(ConsolePages pages) {
        this.pages = pages;
    }

    /**
     * Is a group of dead letters with one reason, from one address.
     *
     * @param isUnknown whether the letters do not say where they came from, so that a job takes all of the queue
     * @param hour in which they came; null if hours are not shown apart, or for those that came before
     * @param look where they are listed; null if the user may not read them
     * @param job what begins a job over them; null if the user may not
     */
    record Group(
            String queue,
            String origin,
            String reason,
            boolean isUnknown,
            String hour,
            String count,
            String oldest,
            String newest,
            String look,
            Form job) {}

    @GetMapping(DESK)
    View desk(
            HttpServletRequest request,
            @RequestParam(required = false) String queue,
            @RequestParam(defaultValue = "false") boolean hourly) {
        Asker asker = pages.asker(request);
        JsonNode letters = asker.get("/deadletters", Queries.of("queue", queue, "hourly", hourly ? "true" : null));
        List<Group> groups = new ArrayList<>();
        letters.path("groups").forEach(each -> groups.add(group(asker, each, hourly)));
        return pages.page(request, "deadletters", "Dead letters")
                .with("groups", groups)
                .with("letters", Shown.number(letters.path("letters").asLong()))
                .with("isHourly", hourly)
                .with("silent", Queries.silent(letters))
                .with("isComplete", letters.path("complete").asBoolean(true))
                .with(
                        "search",
                        Form.search(
                                DESK,
                                Form.text("queue", "Dead-letter queue", queue, "all"),
                                Form.choice(
                                        "hourly",
                                        "Those of",
                                        hourly ? "true" : "",
                                        Queries.choices("", "all hours together", "true", "each hour apart"))));
    }

    private static Group group(Asker asker, JsonNode each, boolean hourly) {
        String queue = each.path("queue").asString("");
        return new Group(
                queue,
                each.path("origin").asString(Shown.NOTHING),
                each.path("reason").asString(Shown.NOTHING),
                !each.hasNonNull("origin") && !each.hasNonNull("reason"),
                each.hasNonNull("hour") ? Facts.cell("hour", each.path("hour")).text() : null,
                Shown.number(each.path("count").asLong()),
                Facts.cell("oldest", each.path("oldest")).text(),
                Facts.cell("newest", each.path("newest")).text(),
                asker.offers("GET /addresses/{address}/messages", queue) ? look(each, queue, hourly) : null,
                asker.offers("POST /jobs", queue) ? job(each, queue, hourly) : null);
    }

    /** Returns where the messages of the queue are listed, those of the group's time alone if hours are shown apart. */
    private static String look(JsonNode group, String queue, boolean hourly) {
        Map<String, String> query = Queries.of("address", queue);
        query.putAll(time(group, hourly));
        return Queries.url(MessagePages.LIST, query);
    }

    /** Returns when the letters of a group died: its hour, or before the first hour that is shown apart. */
    private static Map<String, String> time(JsonNode group, boolean hourly) {
        if (!group.hasNonNull("hour")) {
            return hourly ? Queries.of("until", group.path("newest").asString()) : Map.of();
        }
        Instant hour = Instant.parse(group.path("hour").asString());
        return Queries.of(
                "since",
                hour.toString(),
                "until",
                hour.plus(1, ChronoUnit.HOURS).minusMillis(1).toString());
    }

    /** Offers a job, over the letters of the group's time alone if hours are shown apart. */
    private static Form job(JsonNode group, String queue, boolean hourly) {
        Map<String, String> hidden = Queries.of(
                "from",
                queue,
                "origin",
                group.path("origin").asString(""),
                "reason",
                group.path("reason").asString(""),
                "dryRun",
                "true");
        hidden.putAll(time(group, hourly));
        List<Form.Field> fields = new ArrayList<>(List.of(
                Form.choice(
                        "action",
                        "What",
                        "redrive",
                        Queries.choices(
                                "redrive", "redrive to where they came from",
                                "move", "move to another address",
                                "copy", "copy to another address",
                                "delete", "delete")),
                Form.text("to", "To, of a move or copy", "", "orders.retry"),
                Form.text("selector", "Only those with", "", "colour = 'red'")));
        if (!hourly) {
            fields.add(Form.text("since", "Died since", "", "2026-01-31T12:00:00Z"));
            fields.add(Form.text("until", "until", "", "2026-01-31T12:59:59Z"));
        }
        fields.add(Form.number("rate", "Messages a second", "", "no bound"));
        fields.add(Form.number("max", "At most", "", "all"));
        return Form.button(
                JobPages.LIST,
                "Redrive, move or delete",
                "Dry run: count what it would do",
                hidden,
                fields.toArray(Form.Field[]::new));
    }
}
