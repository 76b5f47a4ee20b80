package io.ringtable.broker.admin.console;

import io.ringtable.broker.admin.console.view.Facts;
import io.ringtable.broker.admin.console.view.Form;
import io.ringtable.broker.admin.console.view.Shown;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
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
     * @param look where they are listed; null if the user may not read them
     * @param job what begins a job over them; null if the user may not
     */
    record Group(
            String queue,
            String origin,
            String reason,
            boolean isUnknown,
            String count,
            String oldest,
            String newest,
            String look,
            Form job) {}

    @GetMapping(DESK)
    View desk(HttpServletRequest request, @RequestParam(required = false) String queue) {
        Asker asker = pages.asker(request);
        JsonNode letters = asker.get("/deadletters", Queries.of("queue", queue));
        List<Group> groups = new ArrayList<>();
        letters.path("groups").forEach(each -> groups.add(group(asker, each)));
        return pages.page(request, "deadletters", "Dead letters")
                .with("groups", groups)
                .with("letters", Shown.number(letters.path("letters").asLong()))
                .with("isComplete", letters.path("complete").asBoolean(true))
                .with("search", Form.search(DESK, Form.text("queue", "Dead-letter queue", queue, "all")));
    }

    private static Group group(Asker asker, JsonNode each) {
        String queue = each.path("queue").asString("");
        return new Group(
                queue,
                each.path("origin").asString(Shown.NOTHING),
                each.path("reason").asString(Shown.NOTHING),
                !each.hasNonNull("origin") && !each.hasNonNull("reason"),
                Shown.number(each.path("count").asLong()),
                Facts.cell("oldest", each.path("oldest")).text(),
                Facts.cell("newest", each.path("newest")).text(),
                asker.offers("GET /addresses/{address}/messages", queue)
                        ? Queries.url(MessagePages.LIST, Queries.of("address", queue))
                        : null,
                asker.offers("POST /jobs", queue) ? job(each, queue) : null);
    }

    private static Form job(JsonNode group, String queue) {
        return Form.button(
                JobPages.LIST,
                "Redrive, move or delete",
                "Dry run: count what it would do",
                Queries.of(
                        "from",
                        queue,
                        "origin",
                        group.path("origin").asString(""),
                        "reason",
                        group.path("reason").asString(""),
                        "dryRun",
                        "true"),
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
                Form.text("selector", "Only those with", "", "colour = 'red'"),
                Form.number("rate", "Messages a second", "", "no bound"),
                Form.number("max", "At most", "", "all"));
    }
}
