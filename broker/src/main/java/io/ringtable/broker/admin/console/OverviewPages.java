package io.ringtable.broker.admin.console;

import io.ringtable.broker.admin.StatusController;
import io.ringtable.broker.admin.StatusController.Holder;
import io.ringtable.broker.admin.StatusController.Ring;
import io.ringtable.broker.admin.StatusController.Status;
import io.ringtable.broker.admin.console.view.Cell;
import io.ringtable.broker.admin.console.view.Chart;
import io.ringtable.broker.admin.console.view.RingPicture;
import io.ringtable.broker.admin.console.view.Shown;
import io.ringtable.broker.admin.console.view.Table;
import io.ringtable.broker.metrics.CommitMeters;
import io.ringtable.broker.metrics.StatusSampler;
import io.ringtable.broker.metrics.StatusSampler.Sample;
import io.ringtable.broker.status.BrokerStatus;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.View;

/** Shows whether all is well and what to do if not, then rates, latencies and the ring. Thread: HTTP's. */
@Controller
final class OverviewPages {
    private static final String LIVE = ConsoleSession.LIVE + "overview";
    private static final int ROWS = 8;
    private static final double LEAST_RATE = 10;
    private static final double LEAST_MS = 10;

    private final ConsolePages pages;
    private final StatusController status;
    private final StatusSampler sampler;
    private final CommitMeters meters;

    OverviewPages(ConsolePages pages, StatusController status, StatusSampler sampler, CommitMeters meters) {
        this.pages = pages;
        this.status = status;
        this.sampler = sampler;
        this.meters = meters;
    }

    /**
     * Is one number that an operator looks for.
     *
     * @param link where there is more about it; null if nowhere
     */
    record Figure(String id, String label, String value, String unit, String link) {}

    /**
     * Leads to the ring of a shard.
     *
     * @param isShown whether it is the one that the page shows
     */
    record Choice(int shard, String filled, String url, boolean isShown) {}

    @GetMapping({ConsoleConfiguration.BASE, ConsoleConfiguration.BASE + "/"})
    View overview(HttpServletRequest request, @RequestParam(required = false) String shard) {
        return filled(pages.page(request, "overview", "Overview"), pages.asker(request), shard);
    }

    @GetMapping(LIVE)
    View live(HttpServletRequest request, @RequestParam(required = false) String shard) {
        return filled(pages.part("overview :: live"), pages.asker(request), shard);
    }

    /** @param wanted number of the shard whose ring is to be shown; the first one if there is none */
    private ConsolePage filled(ConsolePage page, Asker asker, String wanted) {
        Status now = status.status();
        List<Sample> history = sampler.history();
        CommitMeters.FlushTimes flush = meters.flushTimes();
        Ring ring = ringOf(now.shards(), wanted);
        boolean isChosen = now.shards().size() > 1;
        return page.with("now", now)
                .with("at", Shown.time(Instant.now()))
                .with("advice", Advisor.advise(now, meters.trouble(), flush.slowestPercentMs()))
                .with("figures", figures(now, flush, asker))
                .with(
                        "rates",
                        Chart.of(
                                history,
                                StatusSampler.HISTORY_SECONDS,
                                LEAST_RATE,
                                most -> Shown.rate(most) + "/s",
                                List.of(
                                        sample -> sample.rates().in(),
                                        sample -> sample.rates().out())))
                .with(
                        "latencies",
                        Chart.of(
                                history,
                                StatusSampler.HISTORY_SECONDS,
                                LEAST_MS,
                                Shown::millis,
                                List.of(
                                        sample -> sample.flush().medianMs(),
                                        sample -> sample.flush().slowestPercentMs())))
                .with("live", isChosen ? of(LIVE, ring) : LIVE)
                .with("choices", isChosen ? choices(now.shards(), ring) : null)
                .with("shard", ring)
                .with("ring", ring == null ? null : RingPicture.of(ring))
                .with("holders", ring == null ? null : holders(ring, asker))
                .with("nodes", nodes(now))
                .with("fullest", fullest(now, asker));
    }

    private static Ring ringOf(List<Ring> rings, String wanted) {
        return rings.stream()
                .filter(ring -> String.valueOf(ring.shard()).equals(wanted))
                .findFirst()
                .orElse(rings.isEmpty() ? null : rings.get(0));
    }

    private static List<Choice> choices(List<Ring> rings, Ring shown) {
        return rings.stream()
                .map(ring -> new Choice(
                        ring.shard(), Shown.share(ring.filled()), of(ConsoleConfiguration.BASE, ring), ring == shown))
                .toList();
    }

    private static String of(String page, Ring ring) {
        return page + "?shard=" + ring.shard();
    }

    private List<Figure> figures(Status now, CommitMeters.FlushTimes flush, Asker asker) {
        BrokerStatus.Shard counted = sampler.latest().shard();
        List<Figure> figures = new ArrayList<>();
        figures.add(
                new Figure("rate-in", "In", Shown.rate(now.messagesPerSecond().in()), "messages/s", null));
        figures.add(
                new Figure("rate-out", "Out", Shown.rate(now.messagesPerSecond().out()), "messages/s", null));
        figures.add(new Figure(
                "flush",
                "Flush, median",
                Shown.millis(flush.medianMs()),
                "99 % within " + Shown.millis(flush.slowestPercentMs()),
                null));
        figures.add(new Figure(
                "owed",
                "Owed",
                Shown.number(now.addresses().stream()
                        .flatMap(address -> address.subscriptions().stream())
                        .mapToLong(each -> each.owedInRing() + each.owedInBacklog())
                        .sum()),
                "not settled yet",
                asker.offers("GET /subscriptions") ? ConsoleConfiguration.BASE + "/subscriptions" : null));
        figures.add(new Figure(
                "connections",
                "Connections",
                Shown.number(now.connections()),
                "open",
                asker.offers("GET /connections") ? ConsoleConfiguration.BASE + "/connections" : null));
        figures.add(new Figure(
                "dead-letters",
                "Dead letters",
                Shown.number(counted == null ? 0 : counted.deadLetters()),
                "since this node took over",
                asker.offers("GET /deadletters") ? ConsoleConfiguration.BASE + "/deadletters" : null));
        return figures;
    }

    /** Lists whose messages lie between gate and next: what the gate will have to move. */
    private static Table holders(Ring ring, Asker asker) {
        long between = Math.max(1, ring.next() - ring.gate());
        List<List<Cell>> rows = ring.heldBy().stream()
                .map(each -> List.of(
                        Cell.text(nameOf(each))
                                .leadingTo(
                                        asker.offers("GET /subscriptions")
                                                ? Advisor.subscriptionsOf(each.address())
                                                : null),
                        Cell.number(Shown.number(each.owedInRing())),
                        Cell.share(each.owedInRing() / (double) between),
                        Cell.number(Shown.number(each.owedInBacklog()))))
                .toList();
        return Table.of(List.of("Subscription", "Owed in the ring", "Of gate to next", "Owed in the backlog"), rows);
    }

    private static String nameOf(Holder holder) {
        if (holder.name().isEmpty() && holder.clientId().isEmpty()) {
            return holder.address();
        }
        return holder.address() + " → " + (holder.clientId().isEmpty() ? "" : holder.clientId() + " / ")
                + holder.name();
    }

    /** Lists all nodes where there are several; the only one is named above. */
    private static Table nodes(Status now) {
        List<List<Cell>> rows = now.nodes().size() < 2
                ? List.of()
                : now.nodes().stream()
                        .map(node -> List.of(
                                Cell.text(node.description() + (node.self() ? " (this one)" : "")),
                                Cell.text(node.state()),
                                Cell.text(node.shards().stream()
                                        .map(owned -> String.valueOf(owned.shard()))
                                        .collect(Collectors.joining(", "))),
                                Cell.text(node.version() == null ? "" : node.version()),
                                Cell.text(node.url() == null ? "" : node.url()),
                                Cell.number(node.seenMsAgo() == null ? "" : Shown.millis(node.seenMsAgo()))))
                        .toList();
        return Table.of(List.of("Node", "State", "Shards", "Version", "For clients", "Seen ago"), rows);
    }

    private static Table fullest(Status now, Asker asker) {
        List<List<Cell>> rows = now.addresses().stream()
                .filter(address -> address.messages() > 0)
                .sorted(Comparator.comparingDouble((BrokerStatus.Address address) -> -Advisor.used(address)))
                .limit(ROWS)
                .map(address -> List.of(
                        Cell.text(address.name())
                                .leadingTo(asker.offers("GET /addresses") ? Advisor.address(address.name()) : null),
                        Cell.text(address.kind().name().toLowerCase(Locale.ROOT)),
                        Cell.number(Shown.number(address.messages())),
                        Cell.share(Advisor.used(address))))
                .toList();
        return Table.of(List.of("Address", "Kind", "Messages", "Of its quota"), rows);
    }
}
