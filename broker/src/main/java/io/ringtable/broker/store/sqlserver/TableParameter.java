package io.ringtable.broker.store.sqlserver;

import com.microsoft.sqlserver.jdbc.ISQLServerDataRecord;
import com.microsoft.sqlserver.jdbc.SQLServerMetaData;
import com.microsoft.sqlserver.jdbc.SQLServerPreparedStatement;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/**
 * Passes rows of a table-valued parameter to the driver one by one as it writes them, without a copy. The columns are
 * those of the table type, in its order.
 * <p>
 * Thread: that of the connection that the parameter is bound on.
 *
 * @param <T> source of one row
 */
final class TableParameter<T> implements ISQLServerDataRecord {
    private final String type;
    private final Row<T> row;
    private final SQLServerMetaData[] columns;
    private final Object[] cells;
    private List<T> rows = List.of();
    private int at = -1;

    /** Writes the source of one row into its cells: Long, Integer, byte[] or null. */
    @FunctionalInterface
    interface Row<T> {
        void into(Object[] cells, T value);
    }

    private TableParameter(String type, List<SQLServerMetaData> columns, Row<T> row) {
        this.type = type;
        this.row = row;
        this.columns = columns.toArray(SQLServerMetaData[]::new);
        this.cells = new Object[this.columns.length];
    }

    static Columns of(String type) {
        return new Columns(type);
    }

    /** Lists the columns of a table type, in order. */
    static final class Columns {
        private final String type;
        private final List<SQLServerMetaData> columns = new ArrayList<>();

        private Columns(String type) {
            this.type = type;
        }

        Columns bigint(String name) {
            return add(name, Types.BIGINT, 0);
        }

        /** Adds a SMALLINT column, also for a TINYINT or a BIT. */
        Columns smallint(String name) {
            return add(name, Types.SMALLINT, 0);
        }

        Columns integer(String name) {
            return add(name, Types.INTEGER, 0);
        }

        Columns bytes(String name, int max) {
            return add(name, Types.VARBINARY, max);
        }

        private Columns add(String name, int sqlType, int precision) {
            columns.add(new SQLServerMetaData(name, sqlType, precision, 0));
            return this;
        }

        <T> TableParameter<T> filledBy(Row<T> row) {
            return new TableParameter<>(type, columns, row);
        }
    }

    /** Binds the rows of the next execution, which reads them; they must not change before its end. */
    void bind(PreparedStatement statement, int parameter, List<T> next) throws SQLException {
        take(next);
        statement.unwrap(SQLServerPreparedStatement.class).setStructured(parameter, type, this);
    }

    /** Takes the rows that the driver will ask for. */
    void take(List<T> next) {
        rows = next;
        at = -1;
    }

    @Override
    public SQLServerMetaData getColumnMetaData(int column) {
        return columns[column - 1];
    }

    @Override
    public int getColumnCount() {
        return columns.length;
    }

    @Override
    public Object[] getRowData() {
        row.into(cells, rows.get(at));
        return cells;
    }

    /** Moves to the next row. At the end it begins anew, for a driver that has to send the call once more. */
    @Override
    public boolean next() {
        at++;
        if (at < rows.size()) {
            return true;
        }
        at = -1;
        return false;
    }
}
