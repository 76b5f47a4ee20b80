package io.ringtable.broker.job;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Stores jobs as settings of the shard, each as a document in JSON under its id.
 * <p>
 * Thread: any. Failure: a document that cannot be read is left alone, and the log says so.
 */
public final class SettingRecords implements JobRecords {
    private static final Logger LOG = LoggerFactory.getLogger(SettingRecords.class);
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .changeDefaultPropertyInclusion(include -> include.withValueInclusion(JsonInclude.Include.NON_NULL))
            .build();

    private final CatalogLookup lookup;
    private final CatalogMailbox catalog;
    private final LongSupplier clockMs;

    /** @param clockMs ms since the epoch */
    public SettingRecords(CatalogLookup lookup, CatalogMailbox catalog, LongSupplier clockMs) {
        this.lookup = lookup;
        this.catalog = catalog;
        this.clockMs = clockMs;
    }

    @Override
    public List<Job> all() {
        List<Job> jobs = new ArrayList<>();
        for (Setting setting : lookup.settings(SettingKind.JOB)) {
            try {
                jobs.add(MAPPER.readValue(setting.document(), Job.class));
            } catch (JacksonException e) {
                LOG.error("RT-7134 {} cannot be read, and is left alone: {}", setting, e.getOriginalMessage());
            }
        }
        jobs.sort(Comparator.comparingLong(Job::id));
        return jobs;
    }

    @Override
    public CompletionStage<Void> put(Job job) {
        try {
            return catalog.putSetting(new Setting(
                    SettingKind.JOB,
                    Long.toString(job.id()),
                    MAPPER.writeValueAsString(job),
                    job.request().by(),
                    Instant.ofEpochMilli(clockMs.getAsLong())));
        } catch (Refusal.Refused refused) { // too long
            return CompletableFuture.failedFuture(refused);
        }
    }

    @Override
    public CompletionStage<Void> remove(Job job) {
        return catalog.deleteSetting(SettingKind.JOB, Long.toString(job.id()));
    }
}
