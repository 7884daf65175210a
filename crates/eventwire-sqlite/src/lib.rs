//! Event streams (Server-Sent Events) in one SQLite file: a [`Log`](eventwire_hub::Log) for the
//! [`Hub`](eventwire_hub::Hub) of eventwire-hub. It is for a server on one machine that must survive a restart, without
//! a service beside it: readers that return continue where they were.
//!
//! # The first server
//!
//! ```sh
//! cargo add anyhow axum eventwire-hub eventwire-sqlite
//! cargo add eventwire --features http-body,tokio
//! cargo add tokio --features macros,net,rt-multi-thread,time
//! ```
//!
#![cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../docs/server.rs"), "```"))]
//!
//! Send two events. The answer to each one is its ID. Then stop the server, start it again, and continue after the
//! first event:
//!
//! ```sh
//! curl localhost:3000/topics/room-7 -d 'hello'
//! curl localhost:3000/topics/room-7 -d 'again'
//! curl -N localhost:3000/topics/room-7 -H 'Last-Event-ID: THE-FIRST-ID'
//! ```
//!
//! What readers get, and how a server admits and sends, is described by [`Hub`](eventwire_hub::Hub) and on the page
//! [Serving many](https://docs.rs/eventwire-hub/latest/eventwire_hub/serving_many/#more-than-one-process). Whether this
//! log is the right one, the page [Which log?](https://docs.rs/eventwire-hub/latest/eventwire_hub/which_log/) says.
//! This page describes what depends on SQLite.
//!
//! # The guarantee
//!
//! **No silent hole:** a reader gets every event after its position, once and in order, or exactly one gap event at the
//! place where something is missing.
//!
//! **An append returns when the event is stored.** With [`Durability::Full`], which is the default, the disk has stored
//! it then, so neither a crash of the process nor one of the machine loses it. With [`Durability::Normal`], a crash of
//! the process loses nothing, but a power cut can lose the last events.
//!
//! **Positions survive.** After a restart, and after a crash, the file continues in the same
//! [epoch](eventwire_hub::StreamPosition). Readers that return get what they have missed, and no gap event.
//!
//! Tests kill processes while they write, copy the file at any moment, put old copies in its place and fill its disk, a
//! thousand times, while readers move between processes, and compare what each reader got with everything that was
//! accepted.
//!
//! # What begins a new epoch
//!
//! A copy of the file that is put back has lost what was appended after the copy was made, and readers may have got
//! that. So each topic begins a new epoch with its next event, and its readers get one gap event. What is stored stays,
//! and readers who missed it still get it.
//!
//! The file itself cannot tell that it is a copy. So there is a small file beside it, `FILE-eventwire`. It says which
//! file the log was (the numbers of its device and inode, and when it was created), and how many events had been
//! returned to a sender or read. A new epoch begins if
//!
//! * the file is another one, for example a copy, or one that was restored from a backup;
//! * it has fewer events than that, for example because an old copy was written over it;
//! * there is no such file beside it, or what it says is damaged, so keep both in the same volume;
//! * the device has another number than before, which some file systems give a volume each time that it is mounted;
//! * with [`Durability::Normal`], the machine was started again since, and the log was not closed before. It is closed
//!   when its last clone is dropped, so let the program handle SIGTERM, and return from `main`.
//!
//! **It cannot be seen** if the folder, the volume or the whole machine is restored with both files in it. Then
//! positions are used twice, and readers are not told that something is missing. So after such a restore, call
//! [`SqliteLog::new_epoch`] once, or delete `FILE-eventwire` before you start the server. The same is true if the file
//! is written over with an old copy, and another program appends to it by SQL before a process with this crate opens
//! it.
//!
//! If another file takes the place of the one that is open, the log goes on with that one, in a new epoch. But a file
//! that is written over while a program has it open is damaged, as every file of SQLite would be.
//!
//! # Backups
//!
//! Use [SQLite's own means](https://www.sqlite.org/backup.html) to copy a file that is in use, such as `sqlite3
//! events.db ".backup copy.db"`. To restore the copy:
//!
//! 1. End all programs that have the file open.
//! 2. Remove `events.db-wal` and `events.db-shm`, which belong to the old file.
//! 3. Copy the backup to `events.db`. Leave `events.db-eventwire` as it is, because it shows that the file is another
//!    one. If you have restored it too, delete it.
//!
//! To move a log without a new epoch, end the programs, and rename it within the disk, together with `FILE-eventwire`.
//!
//! # In a container
//!
//! Put the file in a folder of its own, and mount the folder as a volume. To mount only the file is not enough, because
//! the others are beside it. The user of the container must be allowed to write to the folder. If a disk is attached to
//! another machine, its device may have another number, and then readers get one gap event.
//!
//! # Several processes
//!
//! All processes of one machine can open the same file, and send and read. One learns within some 20 milliseconds what
//! another one has appended: it looks 50 times a second, while it has readers. Only one process
//! writes at a time, and the others wait, so more processes do not send faster.
//!
//! The file must be on a disk of the machine. SQLite's write-ahead log
//! [does not work over a network](https://www.sqlite.org/wal.html), nor in a folder that a virtual machine shares with
//! its host, such as those of Docker on macOS and Windows. For several machines there is
//! [eventwire-postgres](https://docs.rs/eventwire-postgres) and [eventwire-redis](https://docs.rs/eventwire-redis).
//!
//! # Append from any language
//!
//! Any program can append, in a transaction of its own, together with its own changes. Either both are stored or
//! neither is:
//!
//! ```sql
//! BEGIN IMMEDIATE;
//! UPDATE orders SET state = 'paid' WHERE id = 42;
//! INSERT INTO eventwire_append (topic, type, data, key)
//! VALUES ('orders', 'paid', '{"id":42}', 'order-42-paid');
//! COMMIT;
//! ```
//!
//! `type` and `key` can be NULL. An event with a key that is known is not stored again, for a day. A line end in the
//! type, a NUL in the key, data that is not text (JSON is), and a topic that has ended are errors, and nothing is
//! stored. The position of the newest event of a topic is `SELECT printf('%016x-%d', epoch, number) FROM
//! eventwire_topics WHERE name = 'orders'`.
//!
//! `DELETE FROM eventwire_topics WHERE name = 'orders'` removes a topic with all its events. Events that are sent to it
//! later begin a new epoch. From `eventwire_entries`, delete only the oldest events of a topic. Do not change the
//! tables in any other way.
//!
//! Open the file with this crate first: it creates the tables. The other program's user must be allowed to write to the
//! file, to `-wal` and `-shm` beside it, and to the folder. Text must be in UTF-8, which is SQLite's default. The
//! other program's SQLite may be older than that of this crate; 3.40 was tested.
//!
//! # When the file cannot be used
//!
//! If the disk is full, or the file is locked by another program for five seconds,
//! `Hub::send` returns an error that says so. Readers stay connected, can read what is stored, and continue afterwards.
//! [`Error::may_be_stored`] tells whether an event may be stored although there was an error; to repeat it, send it
//! with a key, by `Hub::send_once`.
//!
//! # How much is kept
//!
//! Everything, unless you set [`with_max_events`](SqliteLog::with_max_events),
//! [`with_max_bytes`](SqliteLog::with_max_bytes) or [`with_max_age`](SqliteLog::with_max_age), which are limits for
//! each topic. The limits of each process apply: they are not stored in the file. SQLite uses the room of removed
//! events again, but the file does not get smaller until `VACUUM`.
//!
//! # SQLite
//!
//! The feature `bundled`, which is on by default, compiles a current SQLite into the program, for which a C compiler is
//! needed. Without it, the system's SQLite is used.
//!
//! A program can have SQLite only once, so all its crates must agree on a version of libsqlite3-sys. This crate works
//! with rusqlite 0.39 to 0.43, and so beside sqlx 0.9 and Diesel 2.3.8 or later, but not beside sqlx 0.8, for which
//! cargo says that several packages link to `sqlite3`. Then let the log be in a process of its own, and append by SQL.
//!
//! # How it works
//!
//! One thread writes. It takes all that has gathered while it wrote before, and commits it in one transaction, so many
//! senders wait for the disk together. A trigger in the file performs each append, for this crate and for
//! other programs, so there is one order of steps. Each topic has a row with its newest position, and SQLite lets one
//! transaction write at a time, so the order of commits is the order of positions.
//!
//! Another thread looks for what was appended, and wakes those who follow a topic. Pages are read in the blocking
//! threads of tokio, from connections of their own: with a write-ahead log, they do not wait for the one who writes.
//!
//! An epoch is the time at which it began, in milliseconds, and six random digits. So a later epoch is greater, and
//! events of an earlier one, which are kept, come before it. A topic that is created gets a new epoch, too.

mod database;
mod error;
mod page;
mod retention;
mod sidecar;
mod sqlite_log;
mod watcher;
mod writer;

pub use crate::{error::Error, sqlite_log::SqliteLog, writer::Durability};
