-- The log of eventwire-postgres, version 1: tables and functions in the first schema of the search path, which belong
-- to the role that runs this. It is one statement, so all of it is done or nothing, also in a transaction of a program
-- that migrates a database.
DO $schema$
DECLARE
    before text := current_setting('search_path');
BEGIN
IF current_schema() IS NULL THEN
    RAISE EXCEPTION 'no schema of the search path exists' USING ERRCODE = 'invalid_schema_name';
END IF;
-- Functions find their tables in this schema, whoever calls them, and never a temporary table of the caller.
PERFORM set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- One row: the version of this schema, and what `eventwire_new_epoch` changes.
CREATE TABLE eventwire_log (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    version integer NOT NULL CHECK (version > 0),
    random bigint NOT NULL DEFAULT hashtextextended(gen_random_uuid()::text, 0)
);

-- The highest epoch so far. A sequence, because nobody waits for the transaction of another to count it up.
CREATE SEQUENCE eventwire_epochs;

-- The newest position of each topic. Who has locked a row appends, until the transaction ends. So positions are in the
-- order of commits. To delete a row is to delete the topic.
CREATE TABLE eventwire_topics (
    name text COLLATE "C" PRIMARY KEY
        CHECK (octet_length(convert_to(name, 'UTF8')) BETWEEN 1 AND 256 AND name !~ '[\u0001-\u001F\u007F-\u009F]'),
    lineage bigint NOT NULL,
    epoch bigint NOT NULL CHECK (epoch > 0),
    number bigint NOT NULL CHECK (number >= 0),
    ended boolean NOT NULL
) WITH (fillfactor = 50); -- so that a new version of a row has room beside it

-- `event` is one block or more, whole: its last line is blank.
CREATE TABLE eventwire_entries (
    topic text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL CHECK (epoch > 0),
    number bigint NOT NULL CHECK (number > 0),
    event bytea NOT NULL CHECK (
        event IN ('\x0A', '\x0D', '\x0D0A')
        OR substring(event FROM octet_length(event) - 1) IN ('\x0A0A', '\x0D0D', '\x0A0D')
        OR substring(event FROM octet_length(event) - 2) IN ('\x0A0D0A', '\x0D0D0A')
    ) CHECK (substring(event FROM 1 FOR 3) <> '\xEFBBBF'),
    at timestamptz NOT NULL,
    PRIMARY KEY (topic, epoch, number)
);
CREATE INDEX eventwire_entries_at ON eventwire_entries (at);

-- Where the entries are that have a key, of which this has the hash. For a day.
CREATE TABLE eventwire_keys (
    topic text COLLATE "C" NOT NULL,
    key bytea NOT NULL,
    epoch bigint NOT NULL,
    number bigint NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (topic, key)
);
CREATE INDEX eventwire_keys_at ON eventwire_keys (at);

CREATE FUNCTION eventwire_forget() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM eventwire_entries WHERE topic = OLD.name;
    DELETE FROM eventwire_keys WHERE topic = OLD.name;
    RETURN NULL;
END $$;
CREATE TRIGGER eventwire_forget AFTER DELETE ON eventwire_topics FOR EACH ROW EXECUTE FUNCTION eventwire_forget();

-- Which history of the store this is. It is another one after a restored dump (OIDs) and on a promoted standby (the
-- timeline, which the name of a file of the WAL begins with; the control file has it too late).
CREATE FUNCTION eventwire_lineage() RETURNS bigint LANGUAGE sql SET search_path FROM CURRENT AS $$
    SELECT hashtextextended(concat_ws(' ',
        (SELECT system_identifier FROM pg_control_system()),
        substring(pg_walfile_name(pg_current_wal_lsn()) FROM 1 FOR 8),
        (SELECT oid FROM pg_database WHERE datname = current_database()),
        'eventwire_topics'::regclass::oid,
        (SELECT random FROM eventwire_log)
    ), 0)
$$;

-- An epoch above all others: the time in units of 10 microseconds and four random digits. If the clock was set back, it
-- is above the last one, by a random time of up to ten seconds: a copy of the data may do the same.
CREATE FUNCTION eventwire_next_epoch(before bigint) RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    last bigint := greatest(before, nextval('eventwire_epochs'));
    random bigint := abs(hashtextextended(gen_random_uuid()::text, 0) % 10000000000);
    now bigint := floor(extract(epoch FROM clock_timestamp()) * 100000)::bigint * 10000 + random % 10000;
BEGIN
    RETURN setval('eventwire_epochs', CASE WHEN now > last THEN now ELSE last + 1 + random END);
END $$;

-- All topics go on in another epoch, each with its next entry.
CREATE FUNCTION eventwire_new_epoch() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    UPDATE eventwire_log SET random = DEFAULT
$$;

-- Locks the row of a topic, and makes it if there is none. Without `wait`, nothing if somebody else has locked it.
CREATE FUNCTION eventwire_lock(topic text, history bigint, wait boolean) RETURNS eventwire_topics
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    counter eventwire_topics;
    made bigint := hashtextextended(topic, 'eventwire_topics'::regclass::oid::bigint);
BEGIN
    LOOP
        IF wait THEN
            SELECT * INTO counter FROM eventwire_topics t WHERE t.name = topic FOR NO KEY UPDATE;
        ELSE
            SELECT * INTO counter FROM eventwire_topics t WHERE t.name = topic FOR NO KEY UPDATE SKIP LOCKED;
        END IF;
        EXIT WHEN FOUND;
        -- A row that is not committed cannot be locked by others, so its name is.
        IF wait THEN
            PERFORM pg_advisory_xact_lock(made);
        ELSIF EXISTS (SELECT FROM eventwire_topics t WHERE t.name = topic) OR NOT pg_try_advisory_xact_lock(made) THEN
            RETURN NULL;
        END IF;
        INSERT INTO eventwire_topics VALUES (topic, history, eventwire_next_epoch(0), 0, false)
            ON CONFLICT DO NOTHING RETURNING * INTO counter;
        EXIT WHEN FOUND;
    END LOOP;
    IF counter.lineage <> history AND NOT counter.ended THEN
        counter.lineage := history;
        counter.epoch := eventwire_next_epoch(counter.epoch);
        counter.number := 0;
    END IF;
    RETURN counter;
END $$;

-- Appends entries, those of one topic one after the other: events, or the end (null). Returns the position of each, or
-- null if its topic has ended. Entries of topics that somebody else has locked are left out, except those of the first
-- one, for which this waits while it has locked no other: at most for `patience`, if that is given.
CREATE FUNCTION eventwire_append_all(
    topics text[], events bytea[], keys bytea[], max_events bigint[], patience text,
    OUT entry integer, OUT at_epoch bigint, OUT at_number bigint
) RETURNS SETOF record LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    history bigint := eventwire_lineage();
    counter eventwire_topics;
    before eventwire_topics;
    named bytea;
    step bigint;
BEGIN
    -- Otherwise a crash could lose what readers have got.
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    PERFORM set_config('lock_timeout', coalesce(patience, current_setting('lock_timeout')), true);
    FOR i IN 1 .. cardinality(topics) LOOP
        entry := i;
        IF i = 1 OR topics[i] <> topics[i - 1] THEN
            counter := eventwire_lock(topics[i], history, i = 1);
            before := counter;
        END IF;
        CONTINUE WHEN counter.name IS NULL;

        -- Without a key, or with a new one, both are null.
        named := sha256(keys[i]);
        SELECT k.epoch, k.number INTO at_epoch, at_number FROM eventwire_keys k
            WHERE k.topic = counter.name AND k.key = named AND k.at > clock_timestamp() - interval '1 day';
        IF at_epoch IS NULL AND (events[i] IS NULL OR NOT counter.ended) THEN
            IF events[i] IS NULL THEN
                counter.ended := true;
            ELSE
                counter.number := counter.number + 1;
                INSERT INTO eventwire_entries
                    VALUES (counter.name, counter.epoch, counter.number, events[i], clock_timestamp());
            END IF;
            at_epoch := counter.epoch;
            at_number := counter.number;
            IF named IS NOT NULL THEN
                INSERT INTO eventwire_keys AS k VALUES (counter.name, named, at_epoch, at_number, clock_timestamp())
                    ON CONFLICT (topic, key)
                    DO UPDATE SET epoch = EXCLUDED.epoch, number = EXCLUDED.number, at = EXCLUDED.at;
                -- Two go for each one that comes.
                DELETE FROM eventwire_keys WHERE ctid = ANY (ARRAY(
                    SELECT k.ctid FROM eventwire_keys k WHERE k.at < clock_timestamp() - interval '1 day'
                        ORDER BY k.at LIMIT 2 FOR UPDATE SKIP LOCKED));
            END IF;
        END IF;
        RETURN NEXT;

        IF i = cardinality(topics) OR topics[i + 1] <> topics[i] THEN
            IF counter.number > before.number OR counter.ended <> before.ended THEN
                UPDATE eventwire_topics t
                    SET lineage = counter.lineage, epoch = counter.epoch, number = counter.number, ended = counter.ended
                    WHERE t.name = counter.name;
                PERFORM pg_notify('eventwire_' || 'eventwire_topics'::regclass::oid, concat_ws(' ', counter.epoch,
                    before.number, counter.number - before.number, counter.ended, counter.name));
            END IF;
            -- Many at once, when there are that many more than are to be kept.
            step := least(max_events[i], 1000);
            IF counter.number > max_events[i] AND counter.number / step > before.number / step THEN
                DELETE FROM eventwire_entries WHERE ctid = ANY (ARRAY(SELECT e.ctid FROM eventwire_entries e WHERE
                    e.topic = counter.name AND (e.epoch, e.number) <= (counter.epoch, counter.number - max_events[i])
                    FOR UPDATE SKIP LOCKED));
            END IF;
        END IF;
    END LOOP;
END $$;

-- Appends an event to a topic, in the caller's transaction, and returns its position, as readers get it. If the topic
-- had an event with the same key within the last day, nothing is stored, and its position is returned.
CREATE FUNCTION eventwire_append(topic text, type text, data text, key text DEFAULT NULL) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    -- The types '' and 'message' are the same as none.
    block text := concat('event: ' || nullif(nullif(type, ''), 'message') || E'\n',
        'data: ' || array_to_string(regexp_split_to_array(data, '\r\n|\r|\n'), E'\ndata: ') || E'\n\n');
    stored record;
BEGIN
    IF topic IS NULL OR data IS NULL THEN
        RAISE EXCEPTION 'an event needs a topic and data' USING ERRCODE = 'null_value_not_allowed';
    ELSIF type ~ '[\r\n]' THEN
        RAISE EXCEPTION 'the type of an event is one line' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT * INTO STRICT stored FROM eventwire_append_all(
        ARRAY[topic], ARRAY[convert_to(block, 'UTF8')], ARRAY[convert_to(key, 'UTF8')], NULL, NULL);
    IF stored.at_epoch IS NULL THEN
        RAISE EXCEPTION 'the topic has ended' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    RETURN lpad(to_hex(stored.at_epoch), 16, '0') || '-' || stored.at_number;
END $$;

-- Removes some of the entries that are too many, or too old, in seconds. Returns how many.
CREATE FUNCTION eventwire_remove(max_events bigint, max_age double precision) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
    WITH removed AS (
        DELETE FROM eventwire_entries WHERE ctid = ANY (ARRAY(
            (SELECT found.ctid FROM eventwire_topics t, LATERAL (
                SELECT e.ctid FROM eventwire_entries e
                    WHERE e.topic = t.name AND t.number > max_events
                        AND (e.epoch, e.number) <= (t.epoch, t.number - max_events)
                    ORDER BY e.epoch, e.number LIMIT 2000
            ) found LIMIT 2000)
            UNION ALL
            (SELECT e.ctid FROM eventwire_entries e
                WHERE e.at < to_timestamp(extract(epoch FROM clock_timestamp()) - least(max_age, 1e10))
                ORDER BY e.at LIMIT 2000)
        )) RETURNING 1
    )
    SELECT count(*) FROM removed
$$;

-- Who may append gets EXECUTE on `eventwire_append`, and needs no right to the tables.
REVOKE ALL ON FUNCTION eventwire_append, eventwire_append_all, eventwire_new_epoch, eventwire_remove FROM PUBLIC;

INSERT INTO eventwire_log (version) VALUES (1);
PERFORM set_config('search_path', before, true);
END $schema$;
