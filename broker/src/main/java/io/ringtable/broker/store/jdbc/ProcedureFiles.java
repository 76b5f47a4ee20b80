package io.ringtable.broker.store.jdbc;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.flywaydb.core.api.CoreMigrationType;
import org.flywaydb.core.api.resolver.MigrationResolver;
import org.flywaydb.core.api.resolver.ResolvedMigration;
import org.flywaydb.core.api.resource.LoadableResource;
import org.flywaydb.core.internal.resolver.ChecksumCalculator;
import org.flywaydb.core.internal.resolver.ResolvedMigrationImpl;
import org.flywaydb.core.internal.resolver.sql.SqlMigrationExecutor;
import org.flywaydb.core.internal.sqlscript.SqlScript;

/**
 * Makes each file of {@code db/<engine>/procedures} a repeatable step of the schema. Flyway runs the step after the
 * versioned ones, at first and whenever its text has changed. Flyway itself expects a name like {@code R__flush.sql}.
 * <p>
 * Thread: the caller of {@link SchemaMigrations}.
 */
final class ProcedureFiles implements MigrationResolver {
    private static final String FOLDER = "procedures";

    /** Returns where the files stand on the class path. */
    static String location(String engine) {
        return "classpath:db/" + engine + "/" + FOLDER;
    }

    @Override
    public Collection<ResolvedMigration> resolveMigrations(Context context) {
        List<ResolvedMigration> steps = new ArrayList<>();
        for (LoadableResource file : context.resourceProvider.getResources("", new String[] {".sql"})) {
            if (file.getAbsolutePath().contains("/" + FOLDER + "/")) {
                steps.add(step(file, context));
            }
        }
        return steps;
    }

    private static ResolvedMigration step(LoadableResource file, Context context) {
        SqlScript script = context.sqlScriptFactory.createSqlScript(
                file, context.configuration.isMixed(), context.resourceProvider);
        return new ResolvedMigrationImpl(
                null, // no version: repeatable
                file.getFilename().replaceFirst("[.]sql$", ""),
                FOLDER + "/" + file.getFilename(),
                ChecksumCalculator.calculate(file),
                null,
                CoreMigrationType.SQL,
                file.getAbsolutePathOnDisk(),
                new SqlMigrationExecutor(context.sqlScriptExecutorFactory, script, false, false));
    }
}
