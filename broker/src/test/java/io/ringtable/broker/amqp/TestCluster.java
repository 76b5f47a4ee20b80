package io.ringtable.broker.amqp;

import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.status.NodesStatus;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Nodes by their names, on one database of PostgreSQL that is theirs alone. A test starts, stops and loses nodes, and
 * waits until they know of each other. The end of the test closes the nodes that still run, and the database.
 * <p>
 * Thread: any; nodes may be started on several at once.
 */
class TestCluster implements AutoCloseable {
    /** Names the property with the shards that a node may take. */
    static final String SHARDS = "ringtable.cluster.shards";

    private static final long WAIT_MS = 60_000;

    final PostgresqlTestDatabase database;

    final TestSettings settings; // of every node, beside its store and its shards

    private final Map<String, TestBroker> nodes = new ConcurrentSkipListMap<>(); // those that run
    private final Map<String, DatabaseDoor> doors = new ConcurrentSkipListMap<>(); // the way of a node to the database

    /** Makes a database with the schema, and no node yet. @param settings of every node */
    TestCluster(TestSettings settings) throws SQLException {
        this(orSkip(PostgresqlTestDatabase::migrated), settings);
    }

    /** @param database which {@link #close} closes too */
    TestCluster(PostgresqlTestDatabase database, TestSettings settings) {
        this.database = database;
        this.settings = settings;
    }

    /** Makes a database whose schema the nodes lay. */
    static TestCluster onEmptyDatabase(TestSettings settings) throws SQLException {
        return new TestCluster(orSkip(PostgresqlTestDatabase::new), settings);
    }

    private interface Engine {
        PostgresqlTestDatabase database() throws EngineAbsent, SQLException;
    }

    private static PostgresqlTestDatabase orSkip(Engine engine) throws SQLException {
        try {
            return engine.database();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
            throw new IllegalStateException(absent);
        }
    }

    /** Returns what nodes need beside a store. @param lease the shorter, the sooner a node hears of another one */
    static TestSettings settings(int shards, String lease) {
        return TestSettings.of("ringtable.shards", shards, "ringtable.lease", lease, "ringtable.cluster.enabled", true);
    }

    /** Returns the same where clients and nodes log in, and Ann may do everything with every address. */
    static TestSettings withUsers(TestSettings settings) {
        return settings.with(
                        "ringtable.cluster.user", FrontPeer.NODE_USER,
                        "ringtable.cluster.password", "of " + FrontPeer.NODE_USER,
                        "ringtable.security.rules[0].match", "#",
                        "ringtable.security.rules[0].users", "ann",
                        "ringtable.security.rules[0].permissions", "send,receive,browse,create,delete,manage",
                        "ringtable.security.roles.administrator.users", "ann")
                .authenticator(RelayScenario.USERS);
    }

    // ---- nodes that come and go

    /** Makes a way of its own to the database for a node that starts later. */
    DatabaseDoor door(String name) throws IOException {
        DatabaseDoor door = new DatabaseDoor(database.settings());
        doors.put(name, door);
        return door;
    }

    /**
     * Starts a node, and waits for none of its shards.
     *
     * @param shards that it may take; empty = any
     * @param more of its settings
     */
    TestBroker start(String name, String shards, Object... more) {
        return start(name, settings.with(SHARDS, shards).with(more));
    }

    /** Starts a node with other settings than the rest. */
    TestBroker start(String name, TestSettings its) {
        DatabaseDoor door = doors.get(name);
        StoreSettings store = door == null ? database.settings() : database.settings(door.url());
        TestBroker node = TestBroker.start(
                new StoreSettings(store.properties(), store.dataDir().resolve(name)), its);
        nodes.put(name, node);
        return node;
    }

    /** Stops a node in order. */
    void stop(String name) {
        nodes.remove(name).close();
    }

    /** Stops all nodes in order. */
    void stopAll() {
        List.copyOf(nodes.keySet()).forEach(this::stop);
    }

    /** Returns a node that runs. */
    TestBroker node(String name) {
        return nodes.get(name);
    }

    /** Returns the nodes that run, by name. */
    List<TestBroker> nodes() {
        return List.copyOf(nodes.values());
    }

    // ---- what they know

    /** Waits until each node sees all nodes as active, and where clients reach them. */
    void awaitSeen() {
        for (TestBroker node : nodes()) {
            await().until(() -> {
                List<NodesStatus.Node> seen = node.status().nodes().nodes();
                return seen.size() == nodes.size()
                        && seen.stream()
                                .allMatch(each -> each.state().equals(Phase.ACTIVE.name()) && each.url() != null);
            });
        }
    }

    /** Waits until each node knows all of an address, serves what it owns of it, and knows the owners of the rest. */
    void awaitKnown(String address, int parts) {
        for (TestBroker node : nodes()) {
            await().until(() -> isKnown(node, address, parts));
        }
    }

    private static boolean isKnown(TestBroker node, String address, int parts) {
        Address known = node.shard().lookup().find(address);
        List<Home> homes = known == null ? List.of() : node.shard().homesOf(known);
        return homes.size() == parts
                && homes.stream()
                        .allMatch(home -> home.elsewhere() == null
                                ? home.refusal() == null
                                : home.elsewhere().url() != null);
    }

    // ---- what tests ask

    /** Asks the database. @return the first column of the first row; null without one */
    String ask(String sql) throws Exception {
        return database.ask(sql);
    }

    /** Publishes a message to a queue at a node. */
    static void send(TestBroker node, String queue, String text) {
        try (JMSContext context = node.jms().createContext()) {
            context.createProducer().send(context.createQueue(queue), text);
        }
    }

    /** Takes the next message of a queue at a node. */
    static String receive(TestBroker node, String queue) {
        try (JMSContext context = node.jms().createContext()) {
            return context.createConsumer(context.createQueue(queue)).receiveBody(String.class, WAIT_MS);
        }
    }

    /** Connects Ann to a node, and has what she consumes delivered. */
    static Connection connect(TestBroker node) throws JMSException {
        Connection connection = node.jms("ann", "of ann").createConnection();
        connection.start();
        return connection;
    }

    /** Connects Ann to a node. */
    static JMSContext ann(TestBroker node) {
        return node.jms("ann", "of ann").createContext();
    }

    /** Connects Ann to a node by a client id. */
    static JMSContext ann(TestBroker node, String clientId) {
        JMSContext context = ann(node);
        context.setClientID(clientId);
        return context;
    }

    /** Opens every way to the database first, as a node waits for that before it stops. */
    @Override
    public void close() {
        try {
            for (DatabaseDoor door : doors.values()) {
                door.open();
            }
            stopAll();
            for (DatabaseDoor door : doors.values()) {
                door.close();
            }
            database.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
