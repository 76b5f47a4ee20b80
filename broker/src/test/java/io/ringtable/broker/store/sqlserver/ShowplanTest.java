package io.ringtable.broker.store.sqlserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.store.jdbc.StatementFiles;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class ShowplanTest {
    @Test
    void namesOperatorTableIndexAndDirectionOfEachAccess() {
        String plan =
                "<ShowPlanXML xmlns=\"http://schemas.microsoft.com/sqlserver/2004/07/showplan\"><BatchSequence><Batch>"
                        + "<RelOp PhysicalOp=\"Nested Loops\"><NestedLoops>"
                        + "<RelOp PhysicalOp=\"Clustered Index Scan\"><IndexScan Ordered=\"false\">"
                        + "<Object Table=\"[@claims]\" Index=\"[PK__A1]\"/></IndexScan></RelOp>"
                        + "<RelOp PhysicalOp=\"Clustered Index Seek\">"
                        + "<IndexScan Ordered=\"true\" ScanDirection=\"BACKWARD\">"
                        + "<Object Database=\"[d]\" Schema=\"[ringtable]\" Table=\"[inbox]\""
                        + " Index=\"[inbox_pk]\" Alias=\"[i]\"/>"
                        + "<Predicate><Object Schema=\"[ringtable]\" Table=\"[not an access]\"/></Predicate>"
                        + "</IndexScan></RelOp></NestedLoops></RelOp></Batch></BatchSequence></ShowPlanXML>";
        assertThat(Showplan.accesses(plan))
                .isEqualTo("Clustered Index Scan .[@claims].[PK__A1] \n"
                        + "Clustered Index Seek [ringtable].[inbox].[inbox_pk] BACKWARD\n");
    }

    @Test
    void everyStatementIsExplainedWithAsManyArgumentsAsItTakes() {
        StatementFiles<SqlserverStatement> files =
                new StatementFiles<>(SqlserverDialect.ENGINE, SqlserverStatement.class);
        for (SqlserverStatement statement : SqlserverStatement.values()) {
            String name = statement.name().toLowerCase(Locale.ROOT);
            int parameters =
                    (int) files.sql(statement).chars().filter(c -> c == '?').count();
            assertThat(SqlserverTestDatabase.arguments(name)).as(name).hasSize(parameters);
        }
    }
}
