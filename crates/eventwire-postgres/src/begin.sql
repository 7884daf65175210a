BEGIN ISOLATION LEVEL READ COMMITTED;
-- Two who make the tables at once: the second one waits, and then finds that they are there.
SELECT pg_advisory_xact_lock(hashtextextended('eventwire', 0));

