package io.ringtable.broker.admin.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.admin.StatusController.Status;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.metrics.StatusSampler;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.NodesStatus;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The console tells an operator what to do. */
class AdvisorTest {
    private String state = "ACTIVE";
    private String inbox;
    private String shortage;
    private List<NodesStatus.Node> nodes = List.of();
    private String nodesTrouble;
    private List<BrokerStatus.Parked> parked = List.of();
    private List<BrokerStatus.StuckAddress> stuck = List.of();
    private List<BrokerStatus.Address> addresses = List.of();

    private List<Advice> advise(String storeTrouble, double slowFlushMs) {
        Status status = new Status(
                "1",
                state,
                "the reason",
                null,
                inbox,
                "SQLite",
                "full",
                "node",
                shortage,
                0,
                new StatusSampler.Rates(0, 0),
                nodes,
                nodesTrouble,
                List.of(),
                parked,
                stuck,
                addresses.size(),
                addresses);
        return Advisor.advise(status, storeTrouble, slowFlushMs);
    }

    private static BrokerStatus.Address address(long messages, long bytes, String... subscriptions) {
        return new BrokerStatus.Address(
                "orders & more",
                AddressKind.TOPIC,
                messages,
                bytes,
                100,
                1_000,
                null,
                List.of(subscriptions).stream()
                        .map(name -> new BrokerStatus.Subscription("client", name, name.length(), 0))
                        .toList());
    }

    @Test
    void hasNothingToSayWhileAllIsWell() {
        addresses = List.of(address(79, 799, "a"));

        assertThat(advise(null, 100)).isEmpty();
    }

    @Test
    void aNodeThatIsLostAndOneThatIsNotSeenRightlyAreToldWithoutUrgency() {
        nodes = List.of(node("near", "ACTIVE", 100L), node("far", NodesStatus.LOST, 120_000L));
        nodesTrouble = "RT-4543 another process has the id";

        assertThat(advise(null, 0))
                .allMatch(advice -> !advice.isUrgent())
                .extracting(Advice::what)
                .containsExactly(
                        "The nodes are not seen rightly: RT-4543 another process has the id",
                        "The node far was last seen 2 min 0 s ago");
    }

    private static NodesStatus.Node node(String description, String state, Long seenMsAgo) {
        return new NodesStatus.Node(description, description, state, false, "1", null, seenMsAgo, List.of());
    }

    @ParameterizedTest
    @CsvSource({"STARTING, false", "STANDBY, false", "RESTARTING, true", "FAILED, true", "STOPPED, true"})
    void speaksOfEveryStateButTheActive(String phase, boolean isUrgent) {
        state = phase;

        assertThat(advise(null, 0)).singleElement().satisfies(advice -> {
            assertThat(advice.isUrgent()).isEqualTo(isUrgent);
            assertThat(advice.cure()).isNotBlank();
        });
    }

    @Test
    void namesTheReasonOfEveryTrouble() {
        inbox = "inbox reason";
        shortage = "disk reason";
        parked = List.of(new BrokerStatus.Parked("prices", "c", "ledger", 17, "damaged"));
        stuck = List.of(new BrokerStatus.StuckAddress("invoices", 3, "DLQ is full"));

        List<Advice> all = advise("store reason", 0);

        assertThat(all).allMatch(Advice::isUrgent);
        assertThat(all.stream().map(Advice::what).toList())
                .satisfiesExactly(
                        what -> assertThat(what).endsWith("store reason"),
                        what -> assertThat(what).endsWith("disk reason"),
                        what -> assertThat(what).endsWith("inbox reason"),
                        what -> assertThat(what)
                                .contains("'ledger' of 'prices'")
                                .endsWith("damaged"),
                        what -> assertThat(what).contains("'invoices'").endsWith("DLQ is full"));
        assertThat(all.get(3).cure()).contains("message 17");
    }

    @Test
    void namesTheSubscriptionThatFillsAnAddress() {
        addresses = List.of(address(100, 0, "ledger", "archive"));

        assertThat(advise(null, 0)).singleElement().satisfies(advice -> {
            assertThat(advice.isUrgent()).isTrue();
            assertThat(advice.what()).isEqualTo("The topic 'orders & more' is full: its publishers wait");
            assertThat(advice.cure()).startsWith("Subscription 'archive' owes most. ");
            assertThat(advice.link()).isEqualTo("/console/address?name=orders%20%26%20more");
        });
    }

    @Test
    void warnsBeforeAnAddressIsFullOfBytesOrMessages() {
        addresses = List.of(address(0, 800));

        assertThat(advise(null, 0)).singleElement().satisfies(advice -> {
            assertThat(advice.isUrgent()).isFalse();
            assertThat(advice.what()).contains("80 % full");
        });
    }

    @Test
    void putsFirstWhatIsUrgent() {
        addresses = List.of(address(90, 0));
        stuck = List.of(new BrokerStatus.StuckAddress("invoices", 3, "DLQ is full"));

        assertThat(advise(null, 101)).extracting(Advice::isUrgent).containsExactly(true, false, false);
    }
}
