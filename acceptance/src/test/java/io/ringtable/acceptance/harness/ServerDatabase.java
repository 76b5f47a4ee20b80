package io.ringtable.acceptance.harness;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

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

    public int count(String table) throws SQLException {
        return Integer.parseInt(ask("SELECT count(*) FROM " + table).get(0));
    }
}
