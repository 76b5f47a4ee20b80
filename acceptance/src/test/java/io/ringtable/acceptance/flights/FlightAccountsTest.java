package io.ringtable.acceptance.flights;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The oracle passes what may happen and fails what may not. */
class FlightAccountsTest {
    private final FlightRows rows = FlightRows.sample(4);
    private FlightAccounts accounts; // one publisher, two subscriptions, rows 0 to 3, end 4, last 5

    @BeforeEach
    void open() {
        accounts = new FlightAccounts(rows, 1, 2);
    }

    @Test
    void passesARunInWhichEverythingArrivesOnce() {
        sendAll();
        arriveAll(0);
        arriveAll(1);

        assertThat(accounts.violations()).isEmpty();
        assertThat(accounts.isOver(0)).isTrue();
    }

    @Test
    void failsARowThatIsMissing() {
        sendAll();
        arriveAll(0);
        IntStream.of(0, 1, 3, 4, 5).forEach(row -> arrive(1, row, 1, false));

        assertThat(accounts.violations()).anyMatch(text -> text.contains("first one missing is 2, accepted"));
    }

    @Test
    void failsADuplicateWithoutTheFlag() {
        sendAll();
        arriveAll(0);
        arriveAll(1);
        arrive(1, 2, 1, false);

        assertThat(accounts.violations()).singleElement().asString().contains("row 2 attempt 1", "not flagged");
    }

    @Test
    void passesADuplicateWithTheFlag() {
        sendAll();
        arriveAll(0);
        arriveAll(1);
        arrive(1, 2, 1, true);

        assertThat(accounts.violations()).isEmpty();
    }

    @Test
    void passesASecondAttemptAfterAnUnknownOutcome() {
        accounts.sending(0);
        accounts.noOutcome(0, "lost");
        sendAll();
        arriveAll(0);
        arriveAll(1);
        arrive(0, 0, 2, false);
        arrive(1, 0, 2, false);

        assertThat(accounts.violations()).isEmpty();
    }

    @Test
    void failsASendOfWhatWasAccepted() {
        sendAll();
        accounts.sending(1);

        assertThat(accounts.violations()).anyMatch(text -> text.contains("row 1 is sent again"));
    }

    @Test
    void passesOnlyAsManyCopiesAsTheClientMayHaveResent() {
        accounts.sending(0);
        accounts.connectionLost(0);
        accounts.accepted(0);
        IntStream.rangeClosed(1, 5).forEach(this::send);
        arriveAll(0);
        arriveAll(1);
        arrive(0, 0, 1, false);
        assertThat(accounts.violations()).isEmpty();

        arrive(0, 0, 1, false);
        assertThat(accounts.violations()).singleElement().asString().contains("resent it 1 times");
    }

    @Test
    void failsFirstArrivalsOutOfOrder() {
        sendAll();
        arriveAll(0);
        IntStream.of(0, 2, 1, 3, 4, 5).forEach(row -> arrive(1, row, 1, false));

        assertThat(accounts.violations()).anyMatch(text -> text.contains("after row 2 of the same publisher"));
    }

    @Test
    void failsSubscriptionsThatSawDifferentOrders() {
        accounts = new FlightAccounts(rows, 2, 2); // rows 0 and 2, rows 1 and 3; ends 4 and 5, last 6 and 7
        IntStream.rangeClosed(0, 7).forEach(this::send);
        IntStream.of(0, 1, 2, 3, 4, 5, 6, 7).forEach(row -> arrive(0, row, 1, false));
        IntStream.of(1, 0, 2, 3, 4, 5, 6, 7).forEach(row -> arrive(1, row, 1, false));

        assertThat(accounts.violations())
                .singleElement()
                .asString()
                .contains("got row 1 as its first arrival number 0");
    }

    @Test
    void failsWhatWasNeverSentAndWhatHasChanged() {
        accounts.sending(0);
        arrive(0, 1, 1, false);
        accounts.arrived(0, 0, 1, false, "something else");

        List<String> found = accounts.violations();
        assertThat(found).anyMatch(text -> text.contains("never sent"));
        assertThat(found).anyMatch(text -> text.contains("arrived as 'something else'"));
    }

    @Test
    void failsWhatComesBackAfterEverythingWasSettled() {
        sendAll();
        arriveAll(0);
        arriveAll(1);
        accounts.everythingIsSettled();
        arrive(0, 3, 1, true);

        assertThat(accounts.violations()).singleElement().asString().contains("came back");
    }

    @Test
    void walksThroughTheRowsOfEachPublisher() {
        accounts = new FlightAccounts(FlightRows.sample(5), 2, 1);
        assertThat(IntStream.iterate(accounts.first(0), row -> row < accounts.rowsUntilEnd(), accounts::after))
                .containsExactly(0, 2, 4, 5);
        assertThat(IntStream.iterate(accounts.first(1), row -> row < accounts.rowsUntilEnd(), accounts::after))
                .containsExactly(1, 3, 6);
        assertThat(accounts.lastRow(1)).isEqualTo(8);
        assertThat(accounts.publisherOf(8)).isEqualTo(1);
    }

    private void sendAll() {
        IntStream.rangeClosed(0, 5).forEach(this::send);
    }

    private void send(int row) {
        accounts.sending(row);
        accounts.accepted(row);
    }

    private void arriveAll(int subscription) {
        IntStream.rangeClosed(0, 5).forEach(row -> arrive(subscription, row, 1, false));
    }

    private void arrive(int subscription, int row, int attempt, boolean redelivered) {
        accounts.arrived(subscription, row, attempt, redelivered, rows.text(row));
    }
}
