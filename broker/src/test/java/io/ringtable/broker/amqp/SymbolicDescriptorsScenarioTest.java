package io.ringtable.broker.amqp;

import static io.ringtable.broker.amqp.SymbolicPeer.described;
import static io.ringtable.broker.amqp.SymbolicPeer.uint;
import static io.ringtable.broker.amqp.SymbolicPeer.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.wire.BatchFormat;
import io.ringtable.wire.Encoded;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.DescribedType;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedByte;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transactions.Declared;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every performative, terminus, section, filter, outcome and transaction command, named by its symbol. */
@Timeout(120)
class SymbolicDescriptorsScenarioTest {
    private static final int TO = 0; // handles
    private static final int FROM = 1;
    private static final int COORDINATOR = 2;

    private static final DescribedType ACCEPTED = described("amqp:accepted:list");

    @TempDir
    private Path directory;

    private TestBroker broker;
    private SymbolicPeer peer;
    private int sent;

    @BeforeEach
    void connect() throws Exception {
        broker = TestBroker.start(directory, TestSettings.of("ringtable.amqp.link-credit", 100));
        peer = new SymbolicPeer(broker.port());
        peer.send(described("amqp:open:list", "symbolic", "localhost", uint(65_536)));
        peer.expect("Open");
        peer.send(described("amqp:begin:list", null, uint(0), uint(1_000), uint(1_000)));
        peer.expect("Begin");
    }

    @AfterEach
    void disconnect() throws Exception {
        peer.close();
        broker.close();
    }

    private void attachSender() throws Exception {
        attach(TO, false, described("amqp:source:list", "me"), target("queue://symbolic"));
        peer.expect("Flow");
    }

    private static DescribedType target(String address) {
        return described("amqp:target:list", address);
    }

    /** @param receives the role of this end */
    private Attach attach(int handle, boolean receives, DescribedType source, DescribedType target) throws Exception {
        peer.send(described(
                "amqp:attach:list",
                "link-" + handle,
                uint(handle),
                receives,
                null,
                null,
                source,
                target,
                null,
                null,
                receives ? null : uint(0)));
        return (Attach) peer.expect("Attach");
    }

    private void attachReceiver(DescribedType filter) throws Exception {
        Object filters = filter == null ? null : Map.of(Symbol.valueOf("key"), filter);
        DescribedType source = described(
                "amqp:source:list",
                "queue://symbolic",
                null,
                null,
                null,
                null,
                null,
                null,
                filters,
                described("amqp:modified:list", true));
        Attach answer = attach(FROM, true, source, target("me"));
        assertThat(answer.getSource().getFilter()).isEqualTo(filters);
        credit();
    }

    private void credit() throws Exception {
        peer.send(described(
                "amqp:flow:list", uint(0), uint(1_000), uint(0), uint(1_000), uint(FROM), uint(0), uint(1_000)));
    }

    private Disposition publish(DescribedType state, byte[] message) throws Exception {
        peer.transfer(TO, sent++, state, message);
        return (Disposition) peer.expect("Disposition");
    }

    private byte[] message(String body) {
        return peer.message(
                value("amqp:application-properties:map", Map.of("name", body)),
                value("amqp:data:binary", new Binary(body.getBytes(StandardCharsets.UTF_8))));
    }

    private Transfer receive(String body) throws Exception {
        Transfer transfer = (Transfer) peer.expect("Transfer");
        assertThat(Encoded.section(peer.payload(), ApplicationProperties.class)
                        .getValue()
                        .get("name"))
                .isEqualTo(body);
        return transfer;
    }

    private void settle(Transfer transfer, DescribedType outcome) throws Exception {
        peer.disposition(transfer.getDeliveryId(), true, outcome);
    }

    private long failures() {
        Header header = Encoded.section(peer.payload(), Header.class);
        return header == null ? 0 : header.getDeliveryCount();
    }

    // ---- messages

    @Test
    void everySectionAndFilterIsUnderstood() throws Exception {
        attachSender();
        List<DescribedType> bodies = List.of(
                value("amqp:data:binary", new Binary(new byte[] {1})),
                value("amqp:amqp-sequence:list", List.of(1, 2)),
                value("amqp:amqp-value:*", "text"));
        List<byte[]> messages = new ArrayList<>();
        for (DescribedType body : bodies) {
            messages.add(peer.message(
                    described("amqp:header:list", true, UnsignedByte.valueOf((byte) 7)),
                    value("amqp:delivery-annotations:map", Map.of(Symbol.valueOf("x"), 1)),
                    value("amqp:message-annotations:map", Map.of(Symbol.valueOf("x-opt-y"), 2)),
                    described("amqp:properties:list", "id", null, "queue://symbolic", "chosen"),
                    value("amqp:application-properties:map", Map.of("name", "all")),
                    body,
                    value("amqp:footer:map", Map.of(Symbol.valueOf("z"), 3))));
        }
        for (byte[] message : messages) {
            assertThat(publish(null, message).getState()).isEqualTo(Accepted.getInstance());
        }
        publish(null, message("not chosen"));

        attachReceiver(value(
                "apache.org:selector-filter:string",
                "name = 'all' AND JMSPriority = 7 AND JMSDeliveryMode = 'PERSISTENT' AND JMSType = 'chosen'"));
        for (byte[] message : messages) {
            Transfer transfer = receive("all");
            assertThat(peer.payload()).isEqualTo(message);
            settle(transfer, ACCEPTED);
        }
    }

    @Test
    void aBatchOfDataSectionsIsUnderstood() throws Exception {
        attachSender();
        byte[] batch = peer.message(
                value("amqp:data:binary", new Binary(message("first"))),
                value("amqp:data:binary", new Binary(message("second"))));
        peer.transfer(TO, sent++, BatchFormat.CODE, null, batch);
        assertThat(((Disposition) peer.expect("Disposition")).getState()).isEqualTo(Accepted.getInstance());
        attachReceiver(null);
        receive("first");
        receive("second");
    }

    @Test
    void everyOutcomeIsUnderstood() throws Exception {
        attachSender();
        publish(null, message("one"));
        attachReceiver(null);

        settle(receive("one"), described("amqp:released:list"));
        Transfer again = receive("one");
        assertThat(failures()).isZero();
        settle(again, described("amqp:modified:list", true, false));
        again = receive("one");
        assertThat(failures()).isEqualTo(1);
        peer.disposition(again.getDeliveryId(), false, described("amqp:received:list", uint(0), UnsignedLong.ZERO));
        settle(again, null); // the default outcome that the source names: modified
        again = receive("one");
        assertThat(failures()).isEqualTo(2);
        DescribedType error = described("amqp:error:list", Symbol.valueOf("app:wrong"), "of no use");
        settle(again, described("amqp:rejected:list", error));

        publish(null, message("two"));
        settle(receive("two"), ACCEPTED);
        publish(null, message("three"));
        receive("three"); // and neither of the others
        assertThat(failures()).isZero();
    }

    @Test
    void aTemporaryQueueWithALifetimeIsUnderstood() throws Exception {
        Object lifetime = Map.of(Symbol.valueOf("lifetime-policy"), described("amqp:delete-on-close:list"));
        DescribedType dynamic = described("amqp:target:list", null, null, null, null, true, lifetime);
        Attach answer = attach(TO, false, described("amqp:source:list", "me"), dynamic);
        assertThat(answer.<Target>getTarget().getAddress()).isNotBlank();
    }

    @Test
    void linksSessionsAndConnectionsEnd() throws Exception {
        attachSender();
        peer.send(described("amqp:detach:list", uint(TO), true));
        peer.expect("Detach");
        peer.send(described("amqp:end:list"));
        peer.expect("End");
        peer.send(described("amqp:close:list"));
        peer.expect("Close");
    }

    // ---- transactions

    private void attachCoordinator() throws Exception {
        attach(
                COORDINATOR,
                false,
                described("amqp:source:list"),
                described("amqp:coordinator:list", Symbol.valueOf("amqp:local-transactions")));
        peer.expect("Flow");
    }

    private Disposition command(DescribedType command, DescribedType... before) throws Exception {
        List<DescribedType> sections = new ArrayList<>(List.of(before));
        sections.add(value("amqp:amqp-value:*", command));
        peer.transfer(COORDINATOR, sent++, null, peer.message(sections.toArray(DescribedType[]::new)));
        return (Disposition) peer.expect("Disposition");
    }

    /** As python-qpid-proton has it: a null where the global id could be. */
    private Binary declare() throws Exception {
        Disposition answer = command(described("amqp:declare:list", (Object) null));
        assertThat(answer.getState()).isInstanceOf(Declared.class);
        return ((Declared) answer.getState()).getTxnId();
    }

    private static DescribedType in(Binary transaction, DescribedType outcome) {
        return outcome == null
                ? described("amqp:transactional-state:list", transaction)
                : described("amqp:transactional-state:list", transaction, outcome);
    }

    private void discharge(Binary transaction, boolean fail) throws Exception {
        assertThat(command(described("amqp:discharge:list", transaction, fail)).getState())
                .isEqualTo(Accepted.getInstance());
    }

    @Test
    void transactionsAreDeclaredUsedAndDischarged() throws Exception {
        attachSender();
        attachCoordinator();
        Binary rolledBack = declare();
        assertThat(publish(in(rolledBack, null), message("never")).getState()).isInstanceOf(TransactionalState.class);
        discharge(rolledBack, true);
        Binary committed = declare();
        publish(in(committed, null), message("sent"));
        discharge(committed, false);

        attachReceiver(null);
        Transfer first = receive("sent");
        Binary accepting = declare();
        settle(first, in(accepting, ACCEPTED));
        discharge(accepting, true);
        Transfer again = receive("sent");
        assertThat(failures()).isEqualTo(1);
        accepting = declare();
        settle(again, in(accepting, ACCEPTED));
        discharge(accepting, false);
        publish(null, message("last"));
        receive("last");
    }

    /** The specification lets a message have these sections, and proton's library writes a header before each body. */
    @Test
    void aCommandMayHaveSectionsBeforeItsBody() throws Exception {
        attachCoordinator();
        Disposition answer = command(
                described("amqp:declare:list"),
                described("amqp:header:list", false),
                described("amqp:properties:list", "an id"));
        assertThat(answer.getState()).isInstanceOf(Declared.class);
    }
}
