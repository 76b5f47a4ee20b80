package io.ringtable.broker.admin.console;

import io.ringtable.broker.admin.StatusController.Status;
import io.ringtable.broker.admin.console.view.Shown;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.NodesStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Finds what an operator must act on, with the cures of {@code docs/operations.md}. Thread: any.
 */
final class Advisor {
    private static final double NEARLY_FULL = 0.8;
    private static final double SLOW_MS = 100; // as the alert RingtableFlushSlow has it

    private Advisor() {}

    /**
     * Returns what is the matter, most urgent first.
     *
     * @param storeTrouble why the store takes no writes; null while it does
     * @param slowFlushMs time that one flush of a hundred exceeds
     */
    static List<Advice> advise(Status now, String storeTrouble, double slowFlushMs) {
        List<Advice> all = new ArrayList<>();
        state(now, all);
        if (storeTrouble != null) {
            all.add(Advice.act(
                    "The store takes no writes: " + storeTrouble,
                    "Cure it at the database: space, rights, read-only or recovering. The broker goes on by itself.",
                    null));
        }
        if (now.shortage() != null) {
            all.add(Advice.act(
                    "All publishers are held back: " + now.shortage(),
                    "Disk: make room. Heap: let consumers catch up, or raise -Xmx and start the broker anew.",
                    null));
        }
        if (now.inbox() != null) {
            all.add(Advice.act(
                    "The broker collects nothing from the inbox: " + now.inbox(),
                    "It tries again within 30 s. If it goes on, cure what the log names. Nothing is lost.",
                    null));
        }
        nodes(now, all);
        now.parked().forEach(parked -> all.add(parked(parked)));
        now.stuckAddresses().forEach(stuck -> all.add(stuck(stuck)));
        now.addresses().stream()
                .filter(address -> used(address) >= NEARLY_FULL)
                .forEach(address -> all.add(full(address)));
        if (slowFlushMs > SLOW_MS) {
            all.add(Advice.watch(
                    "The store is slow: one flush of a hundred takes " + Shown.millis(slowFlushMs) + " or longer",
                    "Every publisher waits for it. Give the database's log a disk of its own, or take away what shares"
                            + " the disk.",
                    null));
        }
        all.sort(Comparator.comparing(advice -> !advice.isUrgent())); // keeps the order of those alike
        return all;
    }

    private static void state(Status now, List<Advice> all) {
        switch (now.state()) {
            case "ACTIVE" -> {}
            case "STARTING" ->
                all.add(Advice.watch(
                        "The broker starts: " + now.reason(), "Wait. It serves when it has read its tables.", null));
            case "STANDBY" ->
                all.add(Advice.watch(
                        "This node stands by: " + now.reason(),
                        "Nothing, while another node serves. If none does, wait for the lease to end, then look for a"
                                + " process that was not meant to run.",
                        null));
            case "RESTARTING" ->
                all.add(Advice.act(
                        "The shard starts anew after a failure: " + now.reason(),
                        "Wait for the next try. The log names the failure: memory, the disk, or a defect.",
                        null));
            case "FAILED" ->
                all.add(Advice.act(
                        "The broker has given up: " + now.reason(),
                        "Read the reason. If it speaks of tables, keep a copy of the database first. Then end the"
                                + " process and start it anew.",
                        null));
            default -> all.add(Advice.act("The broker has stopped", "Start it.", null));
        }
    }

    private static void nodes(Status now, List<Advice> all) {
        if (now.nodesTrouble() != null) {
            all.add(Advice.watch(
                    "The nodes are not seen rightly: " + now.nodesTrouble(),
                    "Messages flow all the same. Cure what the text names.",
                    null));
        }
        new NodesStatus(now.nodes(), null)
                .lost()
                .forEach(node -> all.add(Advice.watch(
                        "The node " + node.description() + " was last seen " + Shown.millis(node.seenMsAgo()) + " ago",
                        "Start it again, or look why it does not reach the database. A node that will not come back"
                                + " leaves the list a day after its end.",
                        null)));
    }

    private static Advice parked(BrokerStatus.Parked parked) {
        String name = parked.name().isEmpty() ? "" : "subscription '" + parked.name() + "' of ";
        return Advice.act(
                "The " + name + "'" + parked.address() + "' is parked: " + parked.reason(),
                parked.sequence() < 0
                        ? "Let its client subscribe with a smaller selector, or unsubscribe."
                        : "Keep a copy of the database, then look at message " + parked.sequence() + ".",
                subscriptionsOf(parked.address()));
    }

    private static Advice stuck(BrokerStatus.StuckAddress stuck) {
        return Advice.act(
                "Messages cannot leave '" + stuck.address() + "': " + stuck.reason(),
                "Take messages from the queue that they should move to, or raise its quota: set a policy with a higher"
                        + " messagesMax or bytesMax. None is lost.",
                address(stuck.address()));
    }

    private static Advice full(BrokerStatus.Address address) {
        boolean isFull = used(address) >= 1;
        String owes = address.subscriptions().stream()
                .max(Comparator.comparingLong(each -> each.owedInRing() + each.owedInBacklog()))
                .filter(most -> !most.name().isEmpty())
                .map(most -> "Subscription '" + most.name() + "' owes most. ")
                .orElse("");
        String what = "The " + address.kind().name().toLowerCase(Locale.ROOT) + " '" + address.name() + "' is "
                + (isFull ? "full: its publishers wait" : Shown.share(used(address)) + " full");
        String cure = owes + "Start its consumers or add some; if nobody needs the messages, "
                + (address.subscriptions().size() > 1 ? "delete the subscription." : "purge or delete it.");
        return new Advice(isFull, what, cure, address(address.name()));
    }

    /** Returns the share of its quota that an address uses: of messages or of bytes, whichever is more. */
    static double used(BrokerStatus.Address address) {
        return Math.max(
                address.messages() / (double) Math.max(1, address.quotaMessages()),
                address.bytes() / (double) Math.max(1, address.quotaBytes()));
    }

    static String address(String name) {
        return ConsoleConfiguration.BASE + "/address?name=" + Asker.encoded(name);
    }

    static String subscriptionsOf(String address) {
        return ConsoleConfiguration.BASE + "/subscriptions?address=" + Asker.encoded(address);
    }
}
