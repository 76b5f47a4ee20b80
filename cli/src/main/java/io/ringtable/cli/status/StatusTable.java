package io.ringtable.cli.status;

import io.ringtable.cli.manage.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Formats the status of a broker for people: its state, its troubles, then one line per subscription. */
final class StatusTable {
    private static final List<String> HEAD =
            List.of("address", "kind", "subscription", "owed in ring", "in backlog", "quota used");

    private static final String SERVED = "ACTIVE";
    private static final int HOLDERS_MAX = 3;
    private static final int MS_PER_SECOND = 1_000;

    /** Number of columns with names; numbers stand behind them, to the right. */
    private static final int NAMES = 3;

    private final List<String> lines = new ArrayList<>();

    private StatusTable() {}

    static List<String> of(JsonNode status) {
        StatusTable table = new StatusTable();
        table.head(status);
        table.troubles(status);
        table.parked(status.path("parked"));
        table.stuckAddresses(status.path("stuckAddresses"));
        table.addresses(status.path("addresses"), status.path("addressCount").asInt(0));
        return table.lines;
    }

    private void head(JsonNode status) {
        String reason = status.path("reason").asString("");
        add("state      %s%s", status.path("state").asString("?"), reason.isEmpty() ? "" : ": " + reason);
        add(
                "store      %s, %s",
                status.path("engine").asString("?"), status.path("durability").asString("?"));
        add("node       %s", status.path("node").asString("?"));
        nodes(status.path("nodes"));
        shards(status.path("shards"));
        JsonNode rates = status.path("messagesPerSecond");
        add(
                "rates      %,.0f messages in/s, %,.0f out/s",
                rates.path("in").asDouble(0), rates.path("out").asDouble(0));
        add("clients    %,d connections", status.path("connections").asLong());
    }

    /** Adds the other nodes of the database. */
    private void nodes(JsonNode nodes) {
        for (JsonNode node : nodes) {
            if (!node.path("self").asBoolean(false)) {
                String shards = node.path("shards")
                        .valueStream()
                        .map(owned -> String.valueOf(owned.path("shard").asLong()))
                        .collect(Collectors.joining(", "));
                add(
                        "other node %s: %s%s%s",
                        node.path("description").asString("?"),
                        node.path("state").asString("?"),
                        shards.isEmpty() ? "" : ", shards " + shards,
                        node.has("seenMsAgo")
                                ? String.format(
                                        Locale.ROOT,
                                        ", seen %,d s ago",
                                        node.path("seenMsAgo").asLong() / MS_PER_SECOND)
                                : "");
            }
        }
    }

    /** Adds where each ring stands; of several shards also what each has to do, and what keeps its ring filled. */
    private void shards(JsonNode shards) {
        for (JsonNode shard : shards) {
            String ring = String.format(
                    Locale.ROOT,
                    "shard %-4d epoch %d, gate %,d, next %,d, room for %,d of %,d messages",
                    shard.path("shard").asLong(),
                    shard.path("epoch").asLong(),
                    shard.path("gate").asLong(),
                    shard.path("next").asLong(),
                    shard.path("room").asLong(),
                    shard.path("capacity").asLong());
            if (shards.size() == 1) {
                add("%s", ring);
                continue;
            }
            JsonNode rates = shard.path("messagesPerSecond");
            add(
                    "%s, %,d in the backlog, %,.0f in/s, %,.0f out/s%s",
                    ring,
                    shard.path("backlogMessages").asLong(),
                    rates.path("in").asDouble(0),
                    rates.path("out").asDouble(0),
                    stateOf(shard));
            String holders = shard.path("heldBy")
                    .valueStream()
                    .filter(holder -> holder.path("owedInRing").asLong() > 0)
                    .limit(HOLDERS_MAX)
                    .map(StatusTable::holder)
                    .collect(Collectors.joining(", "));
            if (!holders.isEmpty()) {
                add("           owed in its ring: %s", holders);
            }
        }
    }

    private static String stateOf(JsonNode shard) {
        String state = shard.path("state").asString(SERVED);
        return state.equals(SERVED) ? "" : ", " + state;
    }

    private static String holder(JsonNode holder) {
        String subscription = name(holder);
        return String.format(
                Locale.ROOT,
                "%s%s %,d",
                holder.path("address").asString("?"),
                subscription.isEmpty() ? "" : " " + subscription,
                holder.path("owedInRing").asLong());
    }

    /** Adds what troubles the whole broker. */
    private void troubles(JsonNode status) {
        String shortage = status.path("shortage").asString("");
        if (!shortage.isEmpty()) {
            add("HELD BACK  all publishers: %s", shortage);
        }
        String nodes = status.path("nodesTrouble").asString("");
        if (!nodes.isEmpty()) {
            add("NODES      not seen rightly: %s", nodes);
        }
        String inbox = status.path("inbox").asString("");
        if (!inbox.isEmpty()) {
            add("INBOX      not collected: %s", inbox);
        }
        JsonNode failures = status.path("failures");
        if (failures.path("total").asLong(0) > 0) {
            String nextTry = failures.path("nextTry").asString("");
            add(
                    "FAILURES   %,d, in a row %,d of at most %,d%s, the last: %s",
                    failures.path("total").asLong(),
                    failures.path("inARow").asLong(),
                    failures.path("triesMax").asLong(),
                    nextTry.isEmpty() ? "" : ", next try at " + nextTry,
                    failures.path("last").asString("?"));
        }
    }

    /** Adds subscriptions that are not served beyond a damaged message, or not at all. */
    private void parked(JsonNode parked) {
        for (JsonNode one : parked) {
            String subscription = name(one);
            long sequence = one.path("sequence").asLong();
            add(
                    "PARKED     %s%s%s: %s",
                    one.path("address").asString("?"),
                    subscription.isEmpty() ? "" : ", " + subscription,
                    sequence < 0 ? "" : String.format(Locale.ROOT, " at message %,d", sequence),
                    one.path("reason").asString("?"));
        }
    }

    /** Adds addresses whose dead letters or expired messages cannot move to their queue. */
    private void stuckAddresses(JsonNode stuckAddresses) {
        for (JsonNode one : stuckAddresses) {
            add(
                    "STUCK      %s, %,d times: %s",
                    one.path("address").asString("?"),
                    one.path("messages").asLong(),
                    one.path("reason").asString("?"));
        }
    }

    private void addresses(JsonNode addresses, int all) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEAD);
        for (JsonNode address : addresses) {
            for (JsonNode subscription : address.path("subscriptions")) {
                rows.add(row(
                        address,
                        name(subscription),
                        subscription.path("owedInRing").asLong(),
                        subscription.path("owedInBacklog").asLong()));
            }
            if (address.path("subscriptions").isEmpty()) {
                rows.add(row(address, "(none)", 0, 0));
            }
        }
        add("");
        addAligned(rows);
        if (all == 0) {
            add("(no address yet)");
        } else if (all > addresses.size()) {
            add("(and %,d addresses that hold less)", all - addresses.size());
        }
    }

    private static List<String> row(JsonNode address, String subscription, long inRing, long inBacklog) {
        return List.of(
                address.path("name").asString("?"),
                address.path("kind").asString("?").toLowerCase(Locale.ROOT),
                subscription,
                String.format(Locale.ROOT, "%,d", inRing),
                String.format(Locale.ROOT, "%,d", inBacklog),
                quotaUsed(address));
    }

    /** Adds rows in columns that are as wide as they have to be, so that the numbers find room on a terminal. */
    private void addAligned(List<List<String>> rows) {
        StringBuilder format = new StringBuilder();
        for (int i = 0; i < HEAD.size(); i++) {
            int column = i;
            int width = rows.stream()
                    .mapToInt(row -> row.get(column).length())
                    .max()
                    .orElseThrow();
            format.append(i == 0 ? "" : "  ")
                    .append(i < NAMES ? "%-" : "%")
                    .append(width)
                    .append('s');
        }
        rows.forEach(row -> add(format.toString(), row.toArray()));
    }

    /** Returns how much of the quota is used, in messages or in bytes: whichever is nearer to its bound. */
    private static String quotaUsed(JsonNode address) {
        double messages = address.path("messages").asDouble(0)
                / Math.max(1, address.path("quotaMessages").asDouble(1));
        double bytes = address.path("bytes").asDouble(0)
                / Math.max(1, address.path("quotaBytes").asDouble(1));
        return String.format(Locale.ROOT, "%.1f%%", 100 * Math.max(messages, bytes));
    }

    private static String name(JsonNode subscription) {
        String client = subscription.path("clientId").asString("");
        String name = subscription.path("name").asString("");
        return client.isEmpty() ? name : client + ":" + name;
    }

    private void add(String format, Object... values) {
        String line = String.format(Locale.ROOT, format, values).stripTrailing();
        lines.add(Values.clean(line));
    }
}
