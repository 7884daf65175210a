//! Event streams (Server-Sent Events) in Postgres: a [`Log`](eventwire_hub::Log) for the [`Hub`](eventwire_hub::Hub) of
//! eventwire-hub. It is for programs that have Postgres already: an event is stored in the same transaction as the
//! change that it reports, by a program in any language, and readers continue after a restart, at any process.
//!
//! # The first server
//!
//! ```sh
//! cargo add anyhow axum eventwire-hub eventwire-postgres
//! cargo add eventwire --features http-body,tokio
//! cargo add tokio --features macros,net,rt-multi-thread,time
//! ```
//!
//! It needs a database, for example `docker run -p 5432:5432 -e POSTGRES_USER=app -e POSTGRES_PASSWORD=secret
//! postgres`. Start this twice, the second time with port 3001. What is sent to one server reaches the readers of both:
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/server.rs"), "```"))]
//!
//! ```sh
//! curl -N localhost:3001/topics/room-7
//! curl localhost:3000/topics/room-7 -d 'hello'
//! ```
//!
//! What readers get, and how a server admits and sends, is described by [`Hub`](eventwire_hub::Hub) and on the page
//! [Serving many](https://docs.rs/eventwire-hub/latest/eventwire_hub/serving_many/#more-than-one-process). Whether this
//! log is the right one, the page [Which log?](https://docs.rs/eventwire-hub/latest/eventwire_hub/which_log/) says.
//! This page describes what depends on Postgres.
//!
//! # An event with the change that it reports
//!
//! Any client can send an event, in its own transaction:
//!
//! ```sql
//! BEGIN;
//! UPDATE orders SET state = 'paid' WHERE id = 7;
//! SELECT eventwire_append('orders', 'paid', '{"id":7}');
//! COMMIT;
//! ```
//!
//! If the transaction is rolled back, there is no event, and no gap. The arguments are the topic, the type of the
//! event, which may be `NULL`, its data, and, if you like, a key. All are `text`: cast JSON with `::text`. If the topic
//! had an event with this key within the last day, nothing is stored. The result is the position of the event, as
//! readers get it in `id`, or that of the earlier event with the key. The function makes the lines of the event itself,
//! so a client cannot store half an event. It refuses a type with a line end (SQLSTATE 22023), data or a topic that is
//! `NULL` (22004), a name that is not one of a topic (23514), and an event after the end (55000).
//!
//! The function locks the topic until the transaction ends. This is what makes the order of positions that of the
//! commits, so that no reader passes by an event whose transaction commits late. So send events late in a transaction,
//! and end it soon: others who send to the same topic wait. If they send by a [`PostgresLog`], they get an error after
//! five seconds, and nothing is stored. Other topics are delayed by at most 0.2 s.
//!
//! If two transactions send to the same two topics in different order, they can deadlock, as with any two rows, and
//! Postgres aborts one of them. So send in a fixed order. Appends of this crate take no part in deadlocks, as long as
//! `deadlock_timeout` is not below 0.3 s. A transaction with `REPEATABLE READ` or `SERIALIZABLE` may get a
//! serialization failure (40001): run it again. `PREPARE TRANSACTION` is refused after it, as after every `NOTIFY`.
//!
//! Import old events in transactions of about a thousand. Each event of a transaction makes the next one of the same
//! topic a little slower: 1,000 take a quarter of a second, and 10,000 take five.
//!
//! # The guarantee
//!
//! **No silent hole:** a reader gets every event after its position, once and in order, or exactly one gap event at the
//! place where something is missing. Each topic has an [epoch](eventwire_hub::StreamPosition). Neither a restart of
//! your program nor a restart or a crash of Postgres begins a new one, so they cost readers nothing: what was accepted
//! is on the disk. A topic begins a new epoch, with the next event, and readers get one gap event,
//!
//! * after a failover: when a standby was promoted,
//! * when a dump was restored in another database, or a backup with recovery to a point in time,
//! * after `SELECT eventwire_new_epoch()`.
//!
//! Events of earlier epochs are kept, and readers who have not had them get them first. If old events were removed,
//! readers who miss them get one gap event with their number.
//!
//! Postgres can go back to an earlier state in a way that nobody can see from inside. Positions are then used twice,
//! and **readers are not told** that something is missing. Run `SELECT eventwire_new_epoch()` before the next event
//!
//! * if a snapshot of the storage or of the whole machine is restored, or a copy of the folder of the data, also one of
//!   `pg_basebackup` that is started without recovery,
//! * if only the data of these tables is restored (`pg_restore --data-only`), in the database from which it came.
//!
//! And `fsync = off`, or a disk that does not store what it has confirmed, can lose events with a crash of the machine.
//! `synchronous_commit = off` cannot: `eventwire_append` sets it to `on` for its transaction, so your changes in that
//! transaction wait for the disk, too. Other values stay as they are. With asynchronous replication, a failover can
//! lose the last events, and readers get a gap event.
//!
//! While there are two primaries, because an old one goes on that nobody can reach, readers may get events again that
//! they have had from the other one, after a gap event.
//!
//! # What Postgres must be set to
//!
//! It was tested with Postgres 15, and needs 13 or later. The encoding of the database must be UTF-8.
//!
//! * **Tables.** They are made when the log first connects, in the first schema of the search path, under a lock. If
//!   the role may not do that, run [`SCHEMA`] as one that may, also as a part of a migration: write it to a file with
//!   `std::fs::write("eventwire.sql", eventwire_postgres::SCHEMA)`. Run it before a log connects whose role may create
//!   tables: otherwise the log has made them, and the migration fails. Tables of a later version are an error, which
//!   says that a newer release is needed. All names begin with `eventwire_`. To use another schema, add
//!   `?options=-c%20search_path%3DNAME` to the URL, with this one name: if a schema later in the path has the tables,
//!   the log uses those. Installations in different schemas do not see each other.
//! * **Rights.** No superuser and no extension is needed. The owner of the functions must be allowed to call
//!   `pg_control_system()`, as every role is by default. The functions run with the rights of their owner, so other
//!   roles need no right to write to the tables:
//!
//!   ```sql
//!   -- A role that only sends with SQL:
//!   GRANT EXECUTE ON FUNCTION eventwire_append TO sender;
//!   -- A process with a log, if it does not own the tables:
//!   GRANT SELECT ON eventwire_log, eventwire_topics, eventwire_entries TO server;
//!   GRANT EXECUTE ON FUNCTION eventwire_append_all, eventwire_remove TO server;
//!   -- One who restores backups:
//!   GRANT EXECUTE ON FUNCTION eventwire_new_epoch TO operator;
//!   ```
//!
//!   In a schema other than `public`, each also needs `USAGE` on the schema.
//! * **Connections.** Each process has two, whatever the number of its readers, and clones of a log share them. In
//!   `pg_stat_activity`, their name is `eventwire`, unless the URL has an `application_name`.
//! * **PgBouncer** works with `pool_mode = session`. It does not pass on `options`: set the search path of the role.
//!   With `transaction`, notifications do not arrive; this is detected, and is an error. SQL clients that send events
//!   can use either.
//! * **TLS.** With `sslmode=require` in the URL, the server's certificate must be of an authority that the system
//!   knows, or of one in the file `sslrootcert=FILE`, and have the host's name. rustls always verifies, so `verify-ca`
//!   and `verify-full` mean the same. Without `sslmode` and `sslrootcert`, a certificate that is not accepted leads to
//!   a connection **without encryption**, so set `sslmode=require` in production.
//! * **Several hosts** in a URL are tried in their order. With `target_session_attrs=read-write`, standbys are skipped.
//!   A standby is refused in any case, until it is promoted.
//! * **Old events.** All are kept by default; see [`with_max_events`](PostgresLog::with_max_events) and
//!   [`with_max_age`](PostgresLog::with_max_age). `DELETE FROM eventwire_topics WHERE name = '...'` removes a topic
//!   with its events. If it is used again, it begins in a new epoch. Do not change the tables in any other way.
//!
//! # When Postgres cannot be reached
//!
//! Readers that are connected stay connected, get keep-alives from the body, and continue afterwards. New readers are
//! answered with 503. A lost connection is replaced at once, and then after growing pauses of at most two seconds.
//! (There are two, which are replaced together.) A connection is given three seconds, and an answer five.
//!
//! If the disk is full, events are refused, and what was accepted stays. One event that Postgres refuses does not
//! refuse others that are sent with it.
//!
//! # When an event may be stored although there was an error
//!
//! `Hub::send` sends an event once. If the answer does not come in time, or is lost with the connection, nobody here
//! can know whether Postgres has stored the event: [`Error::may_be_stored`] is then `true`. It is `false` if there was
//! no connection, or if Postgres has refused to store the event.
//!
//! To repeat such an event, send it with a key, by `Hub::send_once`: the transaction that stores the event also stores
//! the key, and does nothing if it knows the key. A failover can lose both.
//!
//! # How it works
//!
//! A topic is a row of `eventwire_topics` with its newest position. An append locks the row, counts up, and inserts the
//! event, in one transaction. What comes while a transaction is on its way goes together in the next one, so many who
//! send share one write to the disk. Such a transaction waits for a lock only while it has no other, and not for long:
//! 20 ms, or 200 ms if it has one topic. The server's log shows this as `canceling statement due to lock timeout`. What
//! is locked is left out, and tried again.
//!
//! A commit notifies those who listen (`NOTIFY`) of the new positions, and they read the events. Notifications are only
//! hints: if one is lost, readers get the event when the hub next looks. Postgres takes a lock of the whole server
//! while a transaction that notifies commits, so such transactions commit one after the other, in all databases.
//!
//! What begins an epoch is a hash of the system identifier, the timeline, the OIDs of the database and of a table, and
//! a random number that `eventwire_new_epoch` changes. Each topic has the hash with which its epoch began, and an
//! append compares. An epoch is the time at which it began, in units of 10 microseconds, and four random digits, and is
//! above all epochs that the database has had.

mod address;
mod connection;
mod error;
mod page;
mod postgres_log;
mod writer;

pub use crate::{error::Error, postgres_log::PostgresLog};

/// The tables and functions of the log, as one statement of SQL. A log makes them itself if its role may. If not, run
/// this once as another role, or [in a migration](crate#what-postgres-must-be-set-to).
pub const SCHEMA: &str = include_str!("schema.sql");
