-- What a log stores in a SQLite file, beside the tables that a program may have there.
--
-- All times are milliseconds since 1970.

-- One row about the file.
CREATE TABLE eventwire_log (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    version INTEGER NOT NULL,
    -- Counts how often the file may have lost something that readers have got. A topic then begins a new epoch.
    lineage INTEGER NOT NULL,
    -- The greatest epoch that was used.
    last_epoch INTEGER NOT NULL,
    -- How many events and ends were appended, to all topics, and how many topics were removed.
    appended INTEGER NOT NULL
);
INSERT INTO eventwire_log VALUES (1, 1, 1, 0, 0);

-- The newest position of each topic.
CREATE TABLE eventwire_topics (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    lineage INTEGER NOT NULL,
    epoch INTEGER NOT NULL CHECK (epoch > 0),
    number INTEGER NOT NULL CHECK (number >= 0),
    -- If it has ended, how many events and ends had been appended then.
    ended INTEGER,
    -- The length of all events that are stored.
    bytes INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX eventwire_ended ON eventwire_topics (ended) WHERE ended IS NOT NULL;

CREATE TABLE eventwire_entries (
    -- How many events and ends had been appended, with this one. So the IDs have the order of the commits.
    id INTEGER PRIMARY KEY,
    topic INTEGER NOT NULL,
    epoch INTEGER NOT NULL CHECK (epoch > 0),
    number INTEGER NOT NULL CHECK (number > 0),
    at INTEGER NOT NULL,
    -- A block as it is sent, which ends with a blank line.
    event BLOB NOT NULL CHECK (
        typeof(event) = 'blob'
        -- Of an empty blob, SQLite cuts NULL.
        AND length(event) > 0
        AND (
            -- For a list of three, SQLite makes a table each time.
            substr(event, -2) IN (X'0A0A', X'0D0D') OR substr(event, -2) = X'0A0D'
            OR substr(event, -3) IN (X'0A0D0A', X'0D0D0A')
            OR event IN (X'0A', X'0D') OR event = X'0D0A'
        )
    ),
    UNIQUE (topic, epoch, number)
);

-- The names that callers have given to entries, and their positions. They are known for a day.
CREATE TABLE eventwire_keys (
    topic INTEGER NOT NULL,
    key BLOB NOT NULL,
    epoch INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (topic, key)
) WITHOUT ROWID;
CREATE INDEX eventwire_keys_by_age ON eventwire_keys (at);
-- Skips a row without a key, so that an append can insert one for each event: for an INSERT with a condition, SQLite would
-- make a temporary table each time.
CREATE TRIGGER eventwire_no_key BEFORE INSERT ON eventwire_keys WHEN NEW.key IS NULL BEGIN
    SELECT RAISE(IGNORE);
END;

CREATE TRIGGER eventwire_entry_removed AFTER DELETE ON eventwire_entries BEGIN
    UPDATE eventwire_topics SET bytes = bytes - length(OLD.event) WHERE id = OLD.topic;
END;

CREATE TRIGGER eventwire_topic_removed AFTER DELETE ON eventwire_topics BEGIN
    UPDATE eventwire_log SET appended = appended + 1;
    DELETE FROM eventwire_entries WHERE topic = OLD.id;
    DELETE FROM eventwire_keys WHERE topic = OLD.id;
END;

CREATE VIEW eventwire_now (at) AS SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER);

-- An epoch that no topic has had: the time, and six random digits. So epochs rise. If the clock was set back, the next
-- one is above the last one, by a random number: two copies of a file must not choose the same. It is a small one if
-- many topics begin at once. Otherwise their epochs would get far ahead of the clock, and thus of the ones in a file that
-- takes the place of this one.
CREATE VIEW eventwire_next_epoch (epoch) AS
    SELECT CASE
        WHEN now > last_epoch THEN now + abs(random() % 1000000)
        WHEN now > last_epoch - 1000000000 THEN last_epoch + 1 + abs(random() % 100000)
        ELSE last_epoch + 1 + abs(random() % 10000000000)
    END
    FROM (SELECT last_epoch, min(at, 9000000000000) * 1000000 AS now FROM eventwire_log, eventwire_now);

-- Appends a block, or the end of a topic if the event is NULL. Does nothing if the key is known, or the topic has already
-- ended. All is checked before anything is written: a caller could have chosen, with INSERT OR IGNORE, that what comes
-- after an error is still done.
CREATE VIEW eventwire_append_block (topic, event, key) AS SELECT '', X'', X'' WHERE 0;
CREATE TRIGGER eventwire_append_block INSTEAD OF INSERT ON eventwire_append_block BEGIN
    SELECT RAISE(ABORT, 'eventwire: a topic is text of 1 to 256 bytes without control characters')
    WHERE typeof(NEW.topic) <> 'text'
        OR length(CAST(NEW.topic AS BLOB)) NOT BETWEEN 1 AND 256
        OR instr(CAST(NEW.topic AS BLOB), X'00')
        OR NEW.topic GLOB '*[' || char(1) || '-' || char(31) || char(127) || '-' || char(159) || ']*';
    SELECT RAISE(ABORT, 'eventwire: an event is a blob that ends with a blank line')
    WHERE NEW.event IS NOT NULL
        AND NOT (
            typeof(NEW.event) = 'blob'
            AND length(NEW.event) > 0
            AND (
                substr(NEW.event, -2) IN (X'0A0A', X'0D0D') OR substr(NEW.event, -2) = X'0A0D'
                OR substr(NEW.event, -3) IN (X'0A0D0A', X'0D0D0A')
                OR NEW.event IN (X'0A', X'0D') OR NEW.event = X'0D0A'
            )
        );

    DELETE FROM eventwire_keys WHERE NEW.key IS NOT NULL AND (topic, key) IN (
        SELECT topic, key FROM eventwire_keys
        WHERE at < (SELECT at FROM eventwire_now) - 86400000
        ORDER BY at
        LIMIT 4
    );
    SELECT RAISE(IGNORE)
    FROM eventwire_topics, eventwire_keys
    WHERE name = NEW.topic AND topic = id AND key = NEW.key AND at >= (SELECT at FROM eventwire_now) - 86400000;
    DELETE FROM eventwire_keys
    WHERE key = NEW.key AND topic = (SELECT id FROM eventwire_topics WHERE name = NEW.topic);

    SELECT RAISE(IGNORE) FROM eventwire_topics WHERE name = NEW.topic AND ended IS NOT NULL AND NEW.event IS NULL;
    SELECT RAISE(ABORT, 'eventwire: the topic has ended')
    FROM eventwire_topics WHERE name = NEW.topic AND ended IS NOT NULL;

    UPDATE eventwire_log SET appended = appended + 1;
    INSERT INTO eventwire_topics (name, lineage, epoch, number) VALUES (NEW.topic, 0, 1, 0)
    ON CONFLICT (name) DO NOTHING;

    -- A topic that is new, or may have lost something, begins an epoch.
    UPDATE eventwire_log SET last_epoch = (SELECT epoch FROM eventwire_next_epoch)
    WHERE lineage <> (SELECT lineage FROM eventwire_topics WHERE name = NEW.topic);
    UPDATE eventwire_topics
    SET epoch = (SELECT last_epoch FROM eventwire_log), number = 0, lineage = (SELECT lineage FROM eventwire_log)
    WHERE name = NEW.topic AND lineage <> (SELECT lineage FROM eventwire_log);

    UPDATE eventwire_topics SET number = number + 1, bytes = bytes + length(NEW.event)
    WHERE name = NEW.topic AND NEW.event IS NOT NULL;
    UPDATE eventwire_topics SET ended = (SELECT appended FROM eventwire_log)
    WHERE name = NEW.topic AND NEW.event IS NULL;
    INSERT INTO eventwire_entries (id, topic, epoch, number, at, event)
    SELECT appended, topics.id, epoch, number, (SELECT at FROM eventwire_now), NEW.event
    FROM eventwire_topics AS topics, eventwire_log
    WHERE name = NEW.topic AND NEW.event IS NOT NULL;
    INSERT INTO eventwire_keys (topic, key, epoch, number, at)
    VALUES (
        (SELECT id FROM eventwire_topics WHERE name = NEW.topic),
        NEW.key,
        (SELECT epoch FROM eventwire_topics WHERE name = NEW.topic),
        (SELECT number FROM eventwire_topics WHERE name = NEW.topic),
        (SELECT at FROM eventwire_now)
    );
END;

-- For programs in any language, in transactions of their own:
-- INSERT INTO eventwire_append (topic, type, data, key) VALUES ('room-7', 'message', 'hello', NULL)
CREATE VIEW eventwire_append (topic, type, data, key) AS SELECT '', '', '', '' WHERE 0;
CREATE TRIGGER eventwire_append INSTEAD OF INSERT ON eventwire_append BEGIN
    SELECT RAISE(ABORT, 'eventwire: a type is text without line ends')
    WHERE NEW.type IS NOT NULL
        AND (typeof(NEW.type) <> 'text' OR instr(NEW.type, char(10)) OR instr(NEW.type, char(13)));
    SELECT RAISE(ABORT, 'eventwire: data is text')
    WHERE typeof(NEW.data) <> 'text';
    SELECT RAISE(ABORT, 'eventwire: a key is text without NUL')
    WHERE NEW.key IS NOT NULL AND (typeof(NEW.key) <> 'text' OR instr(CAST(NEW.key AS BLOB), X'00'));

    INSERT INTO eventwire_append_block (topic, event, key)
    SELECT
        NEW.topic,
        CAST(
            CASE WHEN NEW.type NOT IN ('', 'message') THEN 'event: ' || NEW.type || char(10) ELSE '' END
            || 'data: '
            || replace(
                replace(replace(NEW.data, char(13, 10), char(10)), char(13), char(10)),
                char(10),
                char(10) || 'data: '
            )
            || char(10, 10)
            AS BLOB
        ),
        CAST(NEW.key AS BLOB);
END;
