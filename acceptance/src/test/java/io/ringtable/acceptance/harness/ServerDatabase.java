package io.ringtable.acceptance.harness;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/** Names a server's database that applications share with the broker; unqualified names lie in its default schema. */
public record ServerDatabase(String url, String username, String password) {

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url, username, password);
    }

    public void execute(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** The first column of every row. */
    public List<String> ask(String sql) throws SQLException {
        List<String> answers = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                answers.add(rows.getString(1));
            }
        }
        return answers;
    }

    /** Returns a digest of each table of the broker, without those that nodes write all the time: leases and nodes. */
    public Map<String, String> tables() throws SQLException {
        Map<String, String> digests = new TreeMap<>();
        for (String name : ask("SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 'ringtable'"
                + " AND TABLE_TYPE = 'BASE TABLE' AND TABLE_NAME NOT IN ('lease', 'node')")) {
            digests.put(name, digest("SELECT * FROM ringtable." + name));
        }
        return digests;
    }

    /** The rows come in no order. */
    private String digest(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            int columns = rows.getMetaData().getColumnCount();
            int count = 0;
            long sum = 0;
            while (rows.next()) {
                count++;
                StringBuilder row = new StringBuilder();
                for (int column = 1; column <= columns; column++) {
                    row.append(rows.getString(column)).append('|');
                }
                CRC32C crc = new CRC32C();
                crc.update(row.toString().getBytes(StandardCharsets.UTF_8));
                sum += crc.getValue();
            }
            return count + " rows, " + sum;
        }
    }

    public int count(String table) throws SQLException {
        return Integer.parseInt(ask("SELECT count(*) FROM " + table).get(0));
    }
}
