-- database_durability: version, edition, the settings that decide what a commit costs, and the processors.
-- Called by:   SqlserverServer, once per run.
-- Locks:       none.
-- Access path: sys.databases.
-- Changes:     nothing.
SELECT v.name, v.value
FROM sys.databases AS d
CROSS APPLY (VALUES
    (1, 'version', CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128))),
    (2, 'edition', CAST(SERVERPROPERTY('Edition') AS nvarchar(128))),
    (3, 'delayed_durability', d.delayed_durability_desc),
    (4, 'recovery_model', d.recovery_model_desc),
    (5, 'read_committed_snapshot', CAST(d.is_read_committed_snapshot_on AS nvarchar(128))),
    (6, 'target_recovery_time', CAST(d.target_recovery_time_in_seconds AS nvarchar(128))),
    (7, 'processors', CAST((SELECT o.cpu_count FROM sys.dm_os_sys_info AS o) AS nvarchar(128)))
) AS v (place, name, value)
WHERE d.name = DB_NAME()
ORDER BY v.place;
