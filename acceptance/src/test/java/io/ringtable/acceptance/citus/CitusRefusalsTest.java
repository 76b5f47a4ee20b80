package io.ringtable.acceptance.citus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.ServerDatabase;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node of Citus on which a transaction could commit in part is refused at the start, and at each call (ADR 78). */
class CitusRefusalsTest {
    private static final String PUBLISH = "SELECT ringtable.publish('queue://orders', 'text')";
    private static final Duration MOST = Duration.ofMinutes(3);
    private static final String LOCALLY = "SET citus.enable_ddl_propagation = off; ";

    @RegisterExtension
    final Bench bench = new Bench();

    private CitusServer server;
    private ServerDatabase database;

    @Test
    void aNodeWithoutItsWitnessOrWithTablesThatCitusHasTakenIsRefused() throws Exception {
        server = bench.closing(CitusServer.start(bench.directory().resolve("citus")));
        database = server.database();
        assertThat(refusedStart()).contains("RT-1230", "setup/citus.sql");
        assertThat(database.ask("SELECT nspname FROM pg_namespace WHERE nspname = 'ringtable'"))
                .as("what a refused start has made")
                .isEmpty();

        database.execute(
                "SELECT citus_set_coordinator_host('%s', %d)".formatted(CitusServer.HOST, server.port()),
                "SELECT citus_set_node_property('%s', %d, 'shouldhaveshards', true)"
                        .formatted(CitusServer.HOST, server.port()));
        server.setUp(CitusNodes.SETUP, CitusServer.USER, CitusServer.DATABASE);
        server.setUp(CitusNodes.SETUP, CitusServer.USER, CitusServer.DATABASE); // as after an upgrade
        broker().start().stop();
        assertThat(database.ask("SELECT count(*) FROM pg_dist_object WHERE classid = 'pg_namespace'::regclass"
                        + " AND objid = 'ringtable'::regnamespace"))
                .as("the schema, if Citus has it")
                .containsExactly("0");
        callsAreRefusedWhereTheyAreNotSafe();

        database.execute("SELECT create_distributed_table('ringtable.setting', 'name')");
        assertThat(refusedStart()).contains("RT-1231", "schema ringtable, table ringtable.setting");
    }

    private void callsAreRefusedWhereTheyAreNotSafe() throws SQLException {
        database.execute(
                PUBLISH,
                "BEGIN; SET LOCAL synchronous_commit = off; " + PUBLISH
                        + "; CREATE TABLE durable AS SELECT current_setting('synchronous_commit') AS it; COMMIT");
        assertThat(database.ask("SELECT it FROM durable")).containsExactly("on");
        database.execute(
                "CREATE TABLE many (id integer)",
                "SELECT create_distributed_table('many', 'id', shard_count := 2)",
                "INSERT INTO many SELECT generate_series(1, 10)");
        assertThatThrownBy(() -> database.execute(
                        "SET citus.enable_local_execution = off; SELECT ringtable.publish('queue://orders', 'text')"
                                + " FROM many"))
                .hasMessageContaining("RT-4661");
        database.execute(LOCALLY + "ALTER TABLE ringtable_citus.witness RENAME TO hidden");
        assertThatThrownBy(() -> database.execute(PUBLISH)).hasMessageContaining("RT-4660");
        database.execute(LOCALLY + "ALTER TABLE ringtable_citus.hidden RENAME TO witness");
        assertThat(database.count("ringtable.inbox")).isEqualTo(2);
    }

    private BrokerProcess broker() {
        return bench.broker(settings ->
                settings.store(database).with("ringtable.store.connect-timeout", "60s")); // this machine may be busy
    }

    /** Returns the log of a start that ends. */
    private String refusedStart() {
        BrokerProcess broker = broker().launch();
        assertThat(broker.awaitExit(MOST)).isNotZero();
        return broker.log();
    }
}
