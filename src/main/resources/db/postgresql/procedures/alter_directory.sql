-- alter_directory: changes rows of the directory, all of them or none, if each is still as its caller knows it.
-- Called by:   statements/alter_directory.sql, commit included.
-- Locks:       the row of directory first, until commit: changes take turns, and versions rise as they commit.
-- Access path: directory_pk; home_pk.
-- Changes:     each row that is named, and the version; nothing if one of them has another version.
--
-- An expected version of 0 says that there is no such row. The state 'gone' removes a row. A broker that knows of no
-- moves names no next shard. The answer has every row of
-- the names in question as it is now, so a caller that came too late knows why.
DROP FUNCTION IF EXISTS ringtable.alter_directory;

CREATE FUNCTION ringtable.alter_directory(
    p_scopes text[], p_names text[], p_parts integer[], p_kinds text[], p_shard_ids integer[], p_owners text[],
    p_states text[], p_expected bigint[], p_next_shard_ids integer[] DEFAULT NULL)
RETURNS TABLE (
    is_applied boolean, directory_version bigint, scope text, name text, part integer, kind text, shard_id integer,
    owner text, state text, version bigint, next_shard_id integer)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off -- a directory that was small when the plan was made may have grown since
AS $$
#variable_conflict use_column
DECLARE
    v_version bigint;
    v_others  bigint;
    v_removed bigint;
BEGIN
    SELECT d.version INTO STRICT v_version FROM ringtable.directory AS d WHERE d.directory_id = 0 FOR UPDATE;
    SELECT count(*) INTO v_others
    FROM unnest(p_scopes, p_names, p_parts, p_expected) AS c (scope, name, part, expected)
    LEFT JOIN ringtable.home AS h ON h.scope = c.scope AND h.name = c.name AND h.part = c.part
    WHERE coalesce(h.version, 0) <> c.expected;
    IF v_others = 0 THEN
        v_version := v_version + 1;
        DELETE FROM ringtable.home AS h
        USING unnest(p_scopes, p_names, p_parts, p_states) AS c (scope, name, part, state)
        WHERE c.state = 'gone' AND h.scope = c.scope AND h.name = c.name AND h.part = c.part;
        GET DIAGNOSTICS v_removed = ROW_COUNT;
        INSERT INTO ringtable.home AS h (scope, name, part, kind, shard_id, owner, state, version, next_shard_id)
        SELECT c.scope, c.name, c.part, c.kind, c.shard_id, c.owner, c.state, v_version, coalesce(c.next_shard_id, -1)
        FROM unnest(p_scopes, p_names, p_parts, p_kinds, p_shard_ids, p_owners, p_states, p_next_shard_ids)
            AS c (scope, name, part, kind, shard_id, owner, state, next_shard_id)
        WHERE c.state <> 'gone'
        ON CONFLICT ON CONSTRAINT home_pk DO UPDATE
        SET kind = excluded.kind, shard_id = excluded.shard_id, owner = excluded.owner, state = excluded.state,
            version = excluded.version, next_shard_id = excluded.next_shard_id;
        UPDATE ringtable.directory AS d
        SET version = v_version, removed_at = CASE WHEN v_removed > 0 THEN v_version ELSE d.removed_at END
        WHERE d.directory_id = 0;
    END IF;
    RETURN QUERY
    SELECT v_others = 0, v_version, h.scope, h.name, h.part, h.kind, h.shard_id, h.owner, h.state, h.version,
           h.next_shard_id
    FROM (SELECT DISTINCT c.scope, c.name FROM unnest(p_scopes, p_names) AS c (scope, name)) AS n
    LEFT JOIN ringtable.home AS h ON h.scope = n.scope AND h.name = n.name;
END
$$;

COMMENT ON FUNCTION ringtable.alter_directory IS
    'Changes rows of the directory, all of them or none, and answers what the names in question have now';
